// The same calls by C++ in one layer and by JavaScript in another, or by both in turns, must leave the same rows.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { createRequire } from 'node:module'
import { check } from '../harness.mjs'
import { dump } from './dump.mjs'
import { cpp, node } from './sides.mjs'

const tuple = createRequire(import.meta.url)('fdb-tuple')
const packed = value => tuple.pack([value])

const type = packed('index')
const id = packed('job-1')
const lock = Buffer.from('00112233445566778899aabbccddeeff', 'hex')
const stale = Buffer.alloc(16, 7)

const timeout = side => side.timeout(type, 60000)
const add = (options = { data: '{"n":1.0}' }) => side => side.add(type, id, options)
const accept = side => side.accept(type, 1, lock)
const update = side => side.update(type, id, lock, '{"n": 2}')
const finish = side => side.finish(type, id, lock, '[3]')
const cancel = side => side.cancel(type, id)
const resubmit = side => side.resubmit(type, id)

const pending = [timeout, add()]
const running = [...pending, accept]
const finished = [...running, finish]
const canceled = [...running, cancel]
const resubmitted = [...running, resubmit]
const both = [...canceled, resubmit]

const scenarios = {
  'set timeout': [timeout],
  'set the same timeout': [timeout, timeout],
  'clear timeout': [timeout, side => side.clearTimeout(type)],
  'raise incarnation': [side => side.raise(), ...running, side => side.raise(), update],
  add: pending,
  'add again': [...pending, add()],
  'add or keep': [...pending, add({ ifExists: 'keep' })],
  'add or resubmit, pending': [...pending, add({ ifExists: 'resubmit' })],
  'add or resubmit, running': [...running, add({ ifExists: 'resubmit' })],
  'add or resubmit, canceled': [...canceled, add({ ifExists: 'resubmit' })],
  'add or resubmit, finished': [...finished, add({ ifExists: 'resubmit', priority: packed(4), data: '"new"' })],
  accept: running,
  'accept up to a priority': [...pending, side => side.accept(type, 1, lock, packed(-1))],
  'accept of none': [timeout, accept],
  'whole job': [...pending, side => side.whole(type, 1, lock)],
  update: [...running, update],
  'update without data': [...running, side => side.update(type, id, lock)],
  'update, stale': [...running, side => side.update(type, id, stale, '9')],
  'update, resubmitted': [...resubmitted, update],
  'update, canceled': [...canceled, update],
  'update, both': [...both, update],
  finish: finished,
  'finish twice': [...finished, finish],
  'finish, stale': [...running, side => side.finish(type, id, stale)],
  'finish, resubmitted': [...resubmitted, finish],
  'finish, canceled': [...canceled, finish],
  'finish, both': [...both, finish],
  'finish and remove': [...running, side => side.finish(type, id, lock, null, true)],
  'finish and remove, resubmitted': [...resubmitted, side => side.finish(type, id, lock, null, true)],
  'resubmit by the worker': [...running, side => side.resubmitByWorker(type, id, lock, packed(2.5)), finish],
  'cancel, absent': [timeout, cancel],
  'cancel, pending': [...pending, cancel],
  'cancel, running': canceled,
  'cancel twice': [...canceled, cancel],
  'cancel, resubmitted': [...resubmitted, cancel],
  'cancel, finished': [...finished, cancel],
  'resubmit, pending': [...pending, resubmit],
  'resubmit, running': resubmitted,
  'resubmit, canceled': both,
  'resubmit, finished': [...finished, resubmit],
  'resubmit, finished by cancel': [...pending, cancel, resubmit],
  'set priority, pending': [...pending, side => side.setPriority(type, id, packed(['a', 5]))],
  'set priority, the same': [...pending, side => side.setPriority(type, id, packed(0))],
  'set priority, running': [...running, side => side.setPriority(type, id, packed('low')), side => side.rescue(type)],
  'set priority, finished': [...finished, side => side.setPriority(type, id, packed(null)), resubmit],
  'remove, absent': [timeout, side => side.remove(type, id)],
  'remove, pending': [...pending, side => side.remove(type, id)],
  'remove, running': [...running, side => side.remove(type, id), update],
  'remove, finished': [...finished, side => side.remove(type, id)],
  rescue: [...running, side => side.rescue(type), update],
  'rescue, resubmitted': [...resubmitted, side => side.rescue(type)],
  'rescue, canceled': [...canceled, side => side.rescue(type)],
  'rescue, both': [...both, side => side.rescue(type)],
}

// Two layers of a check.
function layers(db) {
  return ['one/', 'other/'].map(name => db.subspace.packKey(name))
}

for (const [name, steps] of Object.entries(scenarios)) {
  check(`same rows and answers: ${name}`, async db => {
    const [ours, theirs] = layers(db)
    for (const step of steps) assert.deepEqual(await step(node(ours)), await step(cpp(theirs)))
    assert.deepEqual(await dump(ours), await dump(theirs))
    assert.deepEqual(await cpp(ours).check(), [])
  })
}

// A generator that a seed repeats.
function random(seed) {
  let state = seed
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const types = [packed('index'), packed(['mail', 2]), packed(7)]
const ids = [packed('a'), packed(1), packed({ type: 'uuid', value: lock }), packed(null)]
const priorities = [
  null,
  Buffer.from([0, 1]),
  'low',
  'say "hi"\n',
  ['tenant-7', 5],
  -5,
  0,
  5,
  2n ** 64n,
  { type: 'float', value: 1.5 },
  { type: 'double', value: -0 },
  { type: 'double', value: 5 },
  1e300,
  { type: 'double', value: Infinity },
  true,
].map(packed)
const datas = ['', 'null', '{"a": [1.0, 1e2],  "b":"\\u00e9é"}', '"x,}"', '12345678901234567890123', ' 7 ']
const locks = [lock, stale]

// One call with everything about it chosen; to be given to any side.
function randomCall(pick) {
  const from = list => list[pick(list.length)]
  const aType = from(types)
  const anId = from(ids)
  const aLock = from(locks)
  const priority = from(priorities)
  const data = from(datas)
  const ifExists = from(['error', 'keep', 'resubmit'])
  const limit = 1 + pick(3)
  const max = pick(4) === 0 ? priority : null
  const maybe = pick(2) === 0 ? null : data
  return from([
    side => side.add(aType, anId, { priority, data, ifExists }),
    side => side.add(aType, anId, { priority, data, ifExists }),
    side => side.add(aType, anId, { priority, data, ifExists }),
    side => side.accept(aType, limit, aLock, max),
    side => side.accept(aType, limit, aLock, max),
    side => side.whole(aType, 1, aLock, max),
    side => side.update(aType, anId, aLock, maybe),
    side => side.update(aType, anId, aLock, maybe),
    side => side.finish(aType, anId, aLock, maybe, pick(3) === 0),
    side => side.resubmitByWorker(aType, anId, aLock, max),
    side => side.cancel(aType, anId),
    side => side.resubmit(aType, anId),
    side => side.setPriority(aType, anId, priority),
    side => side.remove(aType, anId),
    side => side.get(aType, anId),
    side => side.counts(aType),
    side => side.queue(aType),
    side => (pick(3) === 0 ? side.rescue(aType) : side.get(aType, anId)),
  ])
}

check('same rows and answers: random calls, by both sides in turns', async db => {
  const seed = Number(process.env.FDBJOBS_TEST_SEED ?? randomInt(2 ** 31))
  console.log(`      FDBJOBS_TEST_SEED=${seed}`)
  const pick = random(seed)
  const [mixed, plain] = layers(db)
  const sides = [node(mixed), cpp(mixed)]
  const alone = cpp(plain)
  for (const one of types) for (const side of [sides[0], alone]) await side.timeout(one, 60000)
  for (let step = 0; step < 600; step++) {
    const side = sides[pick(2)]
    // Both times the same numbers are picked.
    const chosen = pick(2 ** 31)
    const call = side => randomCall(random(chosen))(side)
    assert.deepEqual(await call(side), await call(alone), `step ${step}`)
    if (step % 50 === 49) assert.deepEqual(await dump(mixed), await dump(plain), `after step ${step}`)
  }
  assert.deepEqual(await alone.check(), [])
  assert.deepEqual(await cpp(mixed).check(), [])
})
