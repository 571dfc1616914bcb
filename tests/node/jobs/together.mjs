// Jobs that one side begins and the other one ends.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { check, root } from '../harness.mjs'
import { cpp, node } from './sides.mjs'

const tuple = createRequire(import.meta.url)('fdb-tuple')
const packed = value => tuple.pack([value])
const hex = value => packed(value).toString('hex')

const type = packed('index')
const lock = Buffer.from('00112233445566778899aabbccddeeff', 'hex')
const data = '{"order" : 7, "price":1.10}'

// Once with JavaScript first and once with C++ first. At the end the rows must agree with one another.
function bothWays(name, body) {
  for (const jsFirst of [true, false]) {
    check(`${name}, ${jsFirst ? 'JavaScript, then C++' : 'C++, then JavaScript'}`, async db => {
      const prefix = db.subspace.packKey('jobs/')
      const sides = [node(prefix), cpp(prefix)]
      const [first, second] = jsFirst ? sides : sides.reverse()
      await first.timeout(type, 60000)
      await body(first, second, db)
      assert.deepEqual(await cpp(prefix).check(), [])
    })
  }
}

bothWays('a job is added here and worked on there', async (first, second) => {
  const id = packed('job-1')
  assert.equal(await first.add(type, id, { data, priority: packed(5) }), 'added')
  assert.equal(await second.add(type, id), 'exists')
  assert.deepEqual(await second.accept(type, 10, lock), [{ id: hex('job-1'), priority: hex(5), data }])
  assert.deepEqual(await first.counts(type), { pending: 0, running: 1, finished: 0 })
  assert.equal((await first.get(type, id)).lock, lock.toString('hex'))
  assert.equal(await second.update(type, id, lock), 'ok')
  assert.equal(await first.finish(type, id, Buffer.alloc(16, 1)), 'worker_conflict')
  assert.equal(await first.update(type, id, lock, '{"done": 1}'), 'ok')
  assert.equal(await second.finish(type, id, lock), 'ok')
  const left = { state: 'finished', priority: hex(5), data: '{"done": 1}', cancel: false, resubmit: false, lock: null }
  assert.deepEqual(await first.get(type, id), left)
  assert.deepEqual(await first.counts(type), { pending: 0, running: 0, finished: 1 })
})

bothWays('priorities of several types stand in one order', async (first, second) => {
  const priorities = [true, 'low', -5, 1.5, 0, null, ['a', 1], 'high', 300, { type: 'float', value: 2 }]
  for (const [i, priority] of priorities.entries()) {
    const side = i % 2 === 0 ? first : second
    assert.equal(await side.add(type, packed(i), { priority: packed(priority) }), 'added')
  }
  // Null, text, nested tuple, integers, float, double, bool.
  const order = [5, 7, 1, 6, 2, 4, 8, 9, 3, 0].map(hex)
  assert.deepEqual(await first.queue(type), order)
  assert.deepEqual(await second.queue(type), order)
  const claimed = await second.accept(type, 4, lock)
  assert.deepEqual(claimed.map(job => job.id), order.slice(0, 4))
  const due = await first.accept(type, 10, lock, packed(0))
  assert.deepEqual(due.map(job => job.id), order.slice(4, 6))
  assert.deepEqual(await second.counts(type), { pending: 4, running: 6, finished: 0 })
})

bothWays('a cancel reaches the worker of the other side', async (first, second) => {
  await first.add(type, packed(1), { data })
  await first.add(type, packed(2))
  await first.accept(type, 1, lock)
  assert.equal(await second.cancel(type, packed(1)), 'changed')
  assert.equal(await second.cancel(type, packed(2)), 'changed')
  assert.equal(await first.update(type, packed(1), lock, '9'), 'canceled')
  const job = await second.get(type, packed(1))
  assert.deepEqual([job.state, job.cancel, job.data], ['finished', true, data])
  assert.deepEqual(await second.queue(type), [])
  assert.equal(await second.resubmit(type, packed(2)), 'changed')
  assert.deepEqual(await first.queue(type), [hex(2)])
})

bothWays('jobs of a worker that died are put back by the other side', async (first, second) => {
  for (let i = 0; i < 20; i++) await first.add(type, packed(i), { priority: packed(i % 3) })
  const claimed = await first.accept(type, 20, lock)
  assert.equal(claimed.length, 20)
  assert.equal(await second.cancel(type, packed(3)), 'changed')
  assert.deepEqual(await second.rescue(type), { reenqueued: 19, finished: 1, dropped: 0 })
  assert.deepEqual(await second.rescue(type), { reenqueued: 0, finished: 0, dropped: 0 })
  assert.equal(await first.finish(type, packed(0), lock), 'worker_conflict')
  assert.deepEqual(await first.queue(type), claimed.map(job => job.id).filter(id => id !== hex(3)))
  assert.deepEqual(await first.counts(type), { pending: 19, running: 0, finished: 1 })
})

bothWays('sequences grow over a raised incarnation', async (first, second) => {
  await first.add(type, packed(1))
  await first.accept(type, 1, lock)
  await second.raise()
  assert.equal(await first.update(type, packed(1), lock), 'ok')
  assert.deepEqual(await second.rescue(type), { reenqueued: 1, finished: 0, dropped: 0 })
})

bothWays('whole jobs, each in one transaction', async (first, second) => {
  await first.add(type, packed(1), { data })
  await second.add(type, packed(2))
  assert.deepEqual(await second.whole(type, 1, lock), [{ id: hex(1), priority: hex(0), data }])
  assert.equal((await first.whole(type, 5, lock)).length, 1)
  assert.deepEqual(await second.counts(type), { pending: 0, running: 0, finished: 2 })
})

check('a JavaScript worker that waits is woken by an add in C++', async db => {
  const prefix = db.subspace.packKey('jobs/')
  const { layer } = node(prefix)
  const peer = cpp(prefix)
  await peer.timeout(type, 60000)
  let { jobs, watch } = await layer.acceptOrWatch(type, 1, lock)
  assert.deepEqual(jobs, [])
  await peer.add(type, packed(1))
  while (jobs.length === 0) {
    await watch.promise
    ;({ jobs, watch } = await layer.acceptOrWatch(type, 1, lock))
  }
  assert.deepEqual(jobs[0].id, packed(1))
  assert.deepEqual(await peer.check(), [])
})

check('workers of both sides drain one queue, and each effect is there once', async db => {
  const count = 300
  const prefix = db.subspace.packKey('jobs/')
  const effects = db.subspace.packKey('effects/')
  const { layer } = node(prefix)
  const peer = cpp(prefix)
  await peer.timeout(type, 60000)
  await layer.transact(async work => {
    for (let i = 0; i < count; i++) await work.add(type, packed(i))
  })
  const one = Buffer.alloc(8)
  one.writeBigInt64LE(1n)
  // Three workers at once here, one there.
  const drainHere = async () => {
    for (let done = 0; ; ) {
      const jobs = await layer.transact(work => work.accept(type, 3, lock))
      if (jobs.length === 0) return done
      for (const job of jobs) {
        const outcome = await layer.transact(async work => {
          work.tn.add(Buffer.concat([effects, job.id]), one)
          return work.finish(type, job.id, lock)
        })
        assert.equal(outcome, 'ok')
        done++
      }
    }
  }
  const done = await Promise.all([drainHere(), drainHere(), drainHere(), peer.drain(type, effects)])
  assert.equal(done.reduce((sum, some) => sum + some), count)
  const rows = await root.getRangeAllStartsWith(effects)
  assert.equal(rows.length, count)
  for (const [, value] of rows) assert.equal(value.readBigInt64LE(), 1n)
  assert.deepEqual(await peer.counts(type), { pending: 0, running: 0, finished: count })
  assert.deepEqual(await peer.check(), [])
})
