// Optimistic concurrency: who conflicts with whom, and the retry.

import assert from 'node:assert/strict'
import { check, fdb, fdbError, fill, inOtherProcess, int64, text } from '../harness.mjs'

const conflict = fdbError(1020)

// Begins a transaction, lets somebody else commit, then writes and commits.
async function race(db, begin, meanwhile) {
  const tn = db.rawCreateTransaction()
  await tn.getReadVersion()
  await begin(tn)
  await db.doTn(async tn => meanwhile(tn))
  tn.set('mine', 'written')
  await tn.rawCommit()
}

check('a key that was read and then changed conflicts', async db => {
  await assert.rejects(race(db, tn => tn.get('key'), tn => tn.set('key', 'new')), conflict)
  assert.equal(await db.get('mine'), undefined)
})

check('a snapshot read does not conflict', async db => {
  await race(db, tn => tn.snapshot().get('key'), tn => tn.set('key', 'new'))
})

check('a key that was not read does not conflict', async db => {
  await race(db, tn => tn.get('key'), tn => tn.set('key2', 'new'))
})

check('blind writes to one key do not conflict', async db => {
  await race(db, tn => tn.set('key', 'mine'), tn => tn.set('key', 'theirs'))
  assert.equal(text(await db.get('key')), 'mine')
})

check('a row that appears in a range that was read conflicts', async db => {
  await fill(db, ['a', 'c'])
  await assert.rejects(race(db, tn => tn.getRangeAll('a', 'd'), tn => tn.set('b', 'new')), conflict)
})

check('a row behind the last that a limited range read does not conflict', async db => {
  await fill(db, ['a', 'b', 'c', 'd'])
  await race(db, tn => tn.getRangeAll('a', 'z', { limit: 2 }), tn => tn.set('c', 'new'))
  await assert.rejects(race(db, tn => tn.getRangeAll('a', 'z', { limit: 2 }), tn => tn.set('b', 'new')), conflict)
})

check('a cleared range conflicts with a read inside it', async db => {
  await assert.rejects(race(db, tn => tn.get('key'), tn => tn.clearRange('a', 'z')), conflict)
})

check('an atomic operation conflicts with a read of its key', async db => {
  await assert.rejects(race(db, tn => tn.get('key'), tn => tn.add('key', int64.pack(1))), conflict)
})

check('conflict ranges can be added by hand', async db => {
  await assert.rejects(race(db, tn => tn.addReadConflictKey('key'), tn => tn.set('key', 'new')), conflict)
  await assert.rejects(race(db, tn => tn.get('key'), tn => tn.addWriteConflictKey('key')), conflict)
  await assert.rejects(race(db, tn => tn.addReadConflictRange('a', 'c'), tn => tn.set('b', 'new')), conflict)
  await race(db, tn => tn.addReadConflictRange('a', 'c'), tn => tn.set('c', 'new'))
})

check('onError lets a conflict be tried again, and refuses what a retry cannot cure', async db => {
  const tn = db.rawCreateTransaction()
  await tn.get('key')
  await db.set('key', 'theirs')
  tn.set('key', 'mine')
  await assert.rejects(tn.rawCommit(), conflict)
  await tn.rawOnError(1020)
  assert.equal(text(await tn.get('key')), 'theirs')
  tn.set('key', 'mine')
  await tn.rawCommit()
  assert.equal(text(await db.get('key')), 'mine')
  await assert.rejects(db.rawCreateTransaction().rawOnError(2004), fdbError(2004))
})

check('retry_limit ends the retries', async db => {
  let attempts = 0
  const alwaysLoses = async tn => {
    // In each attempt, since a retry forgets it before API version 610.
    tn.setOption(fdb.TransactionOptionCode.RetryLimit, 2)
    attempts++
    await tn.get('key')
    await db.set('key', `${attempts}`)
    tn.set('mine', 'never')
  }
  await assert.rejects(db.doTn(alwaysLoses), conflict)
  assert.equal(attempts, 3)
})

const increment = counters =>
  counters.doTn(async tn => {
    tn.set('counter', ((await tn.get('counter')) ?? 0) + 1)
  })

check('increments side by side lose nothing', async db => {
  const counters = db.withValueEncoding(int64)
  await Promise.all(Array.from({ length: 30 }, () => increment(counters)))
  assert.equal(await counters.get('counter'), 30)
})

check('increments from two processes lose nothing', async db => {
  const counters = db.withValueEncoding(int64)
  const theirs = inOtherProcess('increment', db.subspace.packKey('counter'), '50')
  for (let i = 0; i < 50; i++) await increment(counters)
  await theirs
  assert.equal(await counters.get('counter'), 100)
})
