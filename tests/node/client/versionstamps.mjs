// Versionstamped keys and values.

import assert from 'node:assert/strict'
import { check, fdb, fdbError, fill, text } from '../harness.mjs'

const { tuple } = fdb

// The versionstamp item that the tuple layer makes of a commit's stamp and a user version.
function stampItem(stamp, code) {
  const value = Buffer.alloc(12)
  stamp.copy(value)
  value.writeUInt16BE(code, 10)
  return { type: 'versionstamp', value }
}

check('a versionstamped key holds the stamp of its commit', async db => {
  const stamp = await db.doTn(async tn => {
    tn.setVersionstampSuffixedKey('log/', 'entry', Buffer.from('/end'))
    return tn.getVersionstamp()
  })
  const rows = await db.getRangeAllStartsWith('log/')
  const key = Buffer.concat([Buffer.from('log/'), await stamp.promise, Buffer.from('/end')])
  assert.deepEqual(rows, [[key, Buffer.from('entry')]])
})

check('a versionstamped value holds the stamp of its commit', async db => {
  const stamp = await db.doTn(async tn => {
    tn.setVersionstampPrefixedValue('key', 'rest')
    return tn.getVersionstamp()
  })
  const read = await db.getVersionstampPrefixedValue('key')
  assert.deepEqual(read.stamp, await stamp.promise)
  assert.equal(text(read.value), 'rest')
})

check('stamps grow from commit to commit', async db => {
  for (let i = 0; i < 20; i++) await db.setVersionstampSuffixedKey('log/', `${i}`)
  const values = (await db.getRangeAllStartsWith('log/')).map(([, value]) => Number(text(value)))
  assert.deepEqual(values, Array.from({ length: 20 }, (_, i) => i))
})

check('commits side by side get stamps of their own', async db => {
  const commits = Array.from({ length: 50 }, (_, i) => db.setVersionstampSuffixedKey('log/', `${i}`))
  await Promise.all(commits)
  assert.equal((await db.getRangeAllStartsWith('log/')).length, 50)
})

check('the stamp begins with the committed version', async db => {
  const tn = db.rawCreateTransaction()
  tn.set('key', 'value')
  const { promise } = tn.getVersionstamp()
  await tn.rawCommit()
  const stamp = await promise
  assert.equal(stamp.length, 10)
  assert.deepEqual(stamp.subarray(0, 8), tn.getCommittedVersion())
})

check('tuples are stamped in place, each with its user version', async db => {
  const log = db.withKeyEncoding(fdb.encoders.tuple).withValueEncoding(fdb.encoders.string)
  const first = ['log', tuple.unboundVersionstamp()]
  const second = ['log', tuple.unboundVersionstamp()]
  const numbered = ['log', tuple.unboundVersionstamp(321)]
  const stamp = await log.doTn(async tn => {
    tn.setVersionstampedKey(first, '1')
    tn.setVersionstampedKey(second, '2')
    tn.setVersionstampedKey(numbered, '3')
    return tn.getVersionstamp()
  })
  const bytes = await stamp.promise
  assert.deepEqual(first[1], stampItem(bytes, 0))
  assert.deepEqual(second[1], stampItem(bytes, 1))
  assert.deepEqual(numbered[1], stampItem(bytes, 321))
  assert.deepEqual(await log.getRangeAllStartsWith(['log']), [[first, '1'], [second, '2'], [numbered, '3']])
})

check('a stamp in a nested tuple of a value is filled in', async db => {
  const values = db.withValueEncoding(fdb.encoders.tuple)
  const value = [1, ['inner', tuple.unboundVersionstamp()], 5]
  await values.setVersionstampedValue('key', value)
  assert.equal(value[1][1].type, 'versionstamp')
  assert.deepEqual(await values.get('key'), value)
})

check('a versionstamped value cannot be read in its own transaction', async db => {
  await fill(db, ['a', 'z'])
  const tn = db.rawCreateTransaction()
  tn.setVersionstampPrefixedValue('key', 'rest')
  await assert.rejects(tn.get('key'), fdbError(1036))
  await assert.rejects(tn.getRangeAll('a', 'z'), fdbError(1036))
  assert.equal(text(await tn.get('a')), 'a')
})

check('the stamp of a transaction that conflicts is an error', async db => {
  const loser = db.rawCreateTransaction()
  await loser.get('key')
  loser.set('key', 'loser')
  await db.set('key', 'winner')
  const { promise } = loser.getVersionstamp()
  await assert.rejects(loser.rawCommit(), fdbError(1020))
  await assert.rejects(promise)
})
