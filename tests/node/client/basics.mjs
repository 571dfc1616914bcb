// Reading and writing single keys, limits, versions and options.

import assert from 'node:assert/strict'
import { check, fdb, fdbError, root, text } from '../harness.mjs'

check('a key that was never set reads as undefined', async db => {
  assert.equal(await db.get('nothing'), undefined)
})

check('a value reads back byte for byte, in its own transaction and in the next', async db => {
  const value = Buffer.from([0, 1, 0xff, 0, 0xfe])
  await db.doTn(async tn => {
    tn.set('key', value)
    assert.deepEqual(await tn.get('key'), value)
  })
  assert.deepEqual(await db.get('key'), value)
})

check('an empty value is a value', async db => {
  await db.set('key', '')
  assert.equal((await db.get('key')).length, 0)
  assert.equal(await db.doTn(tn => tn.exists('key')), true)
})

check('keys may hold any byte', async db => {
  const key = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  await db.set(key, 'all bytes')
  assert.deepEqual(await db.getKey(key), key)
})

check('read_your_writes_disable hides the writes of the transaction', async db => {
  await db.doTn(
    async tn => {
      tn.set('key', 'value')
      assert.equal(await tn.get('key'), undefined)
    },
    { read_your_writes_disable: true },
  )
  assert.equal(text(await db.get('key')), 'value')
})

check('a cleared key is gone', async db => {
  await db.set('key', 'value')
  await db.doTn(async tn => {
    tn.clear('key')
    assert.equal(await tn.get('key'), undefined)
  })
  assert.equal(await db.get('key'), undefined)
})

check('an exception in the body leaves nothing behind', async db => {
  const thrown = new Error('from the body')
  await assert.rejects(
    db.doTn(async tn => {
      tn.set('key', 'value')
      throw thrown
    }),
    thrown,
  )
  assert.equal(await db.get('key'), undefined)
})

check('a reset transaction forgets its writes', async db => {
  const tn = db.rawCreateTransaction()
  tn.set('key', 'value')
  tn.rawReset()
  await tn.rawCommit()
  assert.equal(await db.get('key'), undefined)
})

check('a cancelled transaction answers 1025', async db => {
  const tn = db.rawCreateTransaction()
  tn.rawCancel()
  await assert.rejects(tn.get('key'), fdbError(1025))
  await assert.rejects(tn.rawCommit(), fdbError(1025))
})

check('keys over 10,000 bytes and values over 100,000 bytes are refused', async db => {
  const prefix = db.subspace.prefix.length
  await db.set('k'.repeat(10_000 - prefix), 'v'.repeat(100_000))
  await assert.rejects(db.set('k'.repeat(10_001 - prefix), 'v'), fdbError(2102))
  await assert.rejects(db.set('k', 'v'.repeat(100_001)), fdbError(2103))
})

check('a transaction over ten million bytes is refused', async db => {
  const value = Buffer.alloc(100_000)
  await assert.rejects(
    db.doTn(async tn => {
      for (let i = 0; i < 101; i++) tn.set(`${i}`, value)
    }),
    fdbError(2101),
  )
  assert.deepEqual(await db.getRangeAllStartsWith(''), [])
})

check('size_limit lowers that limit', async db => {
  const write = bytes => db.doTn(async tn => tn.set('key', Buffer.alloc(bytes)), { size_limit: 1000 })
  await write(100)
  await assert.rejects(write(1000), fdbError(2101))
})

check('the approximate size grows with the writes', async db => {
  const tn = db.rawCreateTransaction()
  const before = await tn.getApproximateSize()
  tn.set('key', Buffer.alloc(1000))
  assert.ok((await tn.getApproximateSize()) >= before + 1000)
})

check('a commit has a later version than its reads', async db => {
  const tn = db.rawCreateTransaction()
  const read = await tn.getReadVersion()
  tn.set('key', 'value')
  await tn.rawCommit()
  assert.ok(Buffer.compare(tn.getCommittedVersion(), read) > 0)
})

check('a transaction sees one version while others commit', async db => {
  await db.set('key', 'old')
  const tn = db.rawCreateTransaction()
  assert.equal(text(await tn.get('key')), 'old')
  await db.set('key', 'new')
  await db.set('other', 'new')
  assert.equal(text(await tn.snapshot().get('key')), 'old')
  assert.equal(await tn.snapshot().get('other'), undefined)
})

check('setReadVersion reads the database as it was', async db => {
  await db.set('key', 'old')
  const version = await db.doTn(tn => tn.getReadVersion())
  await db.set('key', 'new')
  const tn = db.rawCreateTransaction()
  tn.setReadVersion(version)
  assert.equal(text(await tn.get('key')), 'old')
})

check('a read version that is not positive answers 2011', async db => {
  const tn = db.rawCreateTransaction()
  tn.setReadVersion(Buffer.alloc(8))
  await assert.rejects(tn.get('key'), fdbError(2011))
})

check('a transaction past its timeout answers 1031', async db => {
  const tn = db.rawCreateTransaction({ timeout: 20 })
  const readOn = async () => {
    for (;;) await tn.get('key')
  }
  await assert.rejects(readOn(), fdbError(1031))
})

check('system keys are out of the legal range', async () => {
  const system = Buffer.from([0xff, 0x01])
  const tn = root.rawCreateTransaction()
  await assert.rejects(tn.get(system), fdbError(2004))
  await assert.rejects(root.set(system, 'value'), fdbError(2004))
})

check('an unknown option is refused', async db => {
  assert.throws(() => db.rawCreateTransaction().setOption(9999), fdbError(2007))
})

check('a key has an address', async db => {
  const addresses = await db.doTn(tn => tn.getAddressesForKey('key'))
  assert.ok(addresses.length > 0)
  assert.equal(typeof addresses[0], 'string')
})

check('an error carries the text of FoundationDB', async () => {
  const tn = root.rawCreateTransaction()
  await assert.rejects(tn.rawOnError(2101), { code: 2101, message: 'Transaction exceeds byte limit' })
  assert.ok(fdb.FDBError.prototype instanceof Error)
})
