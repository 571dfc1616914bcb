// Atomic operations: what each makes of the value, and that they conflict with nobody.

import assert from 'node:assert/strict'
import { check, fdb, int64, text } from '../harness.mjs'

const { MutationType } = fdb
const bytes = (...list) => Buffer.from(list)

// op, the value before (undefined: the key is not there), the operand, the value after.
const table = [
  ['Add', bytes(0xff, 0x00), bytes(0x01, 0x00), bytes(0x00, 0x01)],
  ['Add', bytes(0xff, 0xff), bytes(0x02, 0x00), bytes(0x01, 0x00)],
  ['Add', undefined, bytes(0x05, 0x00), bytes(0x05, 0x00)],
  ['BitAnd', bytes(0b1100, 0xff), bytes(0b1010, 0x0f), bytes(0b1000, 0x0f)],
  ['BitAnd', undefined, bytes(0b1010), bytes(0b1010)],
  ['BitOr', bytes(0b1100), bytes(0b1010), bytes(0b1110)],
  ['BitXor', bytes(0b1100), bytes(0b1010), bytes(0b0110)],
  ['AppendIfFits', bytes(1, 2), bytes(3), bytes(1, 2, 3)],
  ['AppendIfFits', undefined, bytes(3), bytes(3)],
  ['Max', bytes(0x01, 0x02), bytes(0xff, 0x01), bytes(0x01, 0x02)],
  ['Min', bytes(0x01, 0x02), bytes(0xff, 0x01), bytes(0xff, 0x01)],
  ['Min', undefined, bytes(0x09), bytes(0x09)],
  ['ByteMax', bytes(0x01, 0x02), bytes(0xff, 0x01), bytes(0xff, 0x01)],
  ['ByteMin', bytes(0x01, 0x02), bytes(0xff, 0x01), bytes(0x01, 0x02)],
  ['ByteMin', undefined, bytes(0x09), bytes(0x09)],
  ['CompareAndClear', bytes(7), bytes(7), undefined],
  ['CompareAndClear', bytes(7), bytes(8), bytes(7)],
]

const hex = value => (value === undefined ? 'nothing' : value.toString('hex'))

for (const [op, before, operand, after] of table) {
  check(`${op} of ${hex(before)} with ${hex(operand)} gives ${hex(after)}`, async db => {
    if (before !== undefined) await db.set('key', before)
    await db.doTn(async tn => {
      tn.atomicOp(MutationType[op], 'key', operand)
      assert.deepEqual(await tn.get('key'), after, 'read in the same transaction')
    })
    assert.deepEqual(await db.get('key'), after, 'read after the commit')

    await db.clear('key')
    if (before !== undefined) await db.set('key', before)
    await db.atomicOp(MutationType[op], 'key', operand)
    assert.deepEqual(await db.get('key'), after, 'without a read')
  })
}

check('atomic operations of transactions side by side all count', async db => {
  const counters = db.withValueEncoding(int64)
  const transactions = Array.from({ length: 50 }, () => counters.rawCreateTransaction())
  for (const tn of transactions) {
    await tn.getReadVersion()
    tn.add('counter', 3)
  }
  await Promise.all(transactions.map(tn => tn.rawCommit()))
  assert.equal(await counters.get('counter'), 150)
})

check('several operations on one key apply in order', async db => {
  await db.doTn(async tn => {
    tn.set('key', 'a')
    tn.atomicOp(MutationType.AppendIfFits, 'key', 'b')
    tn.atomicOp(MutationType.AppendIfFits, 'key', 'c')
  })
  assert.equal(text(await db.get('key')), 'abc')
})
