// Range reads and key selectors.

import assert from 'node:assert/strict'
import { apiVersion, check, fdb, fill, text, textRows } from '../harness.mjs'

const { keySelector, StreamingMode } = fdb
const rowCount = 1000
const numbers = db => db.withKeyEncoding(fdb.encoders.int32BE).withValueEncoding(fdb.encoders.int32BE)

async function withNumbers(db) {
  const rows = numbers(db)
  await rows.doTn(async tn => {
    for (let i = 0; i < rowCount; i++) tn.set(i, rowCount - i)
  })
  return rows
}

const expected = Array.from({ length: rowCount }, (_, i) => [i, rowCount - i])

check('a range streams all rows in order', async db => {
  const rows = await withNumbers(db)
  const seen = []
  await rows.doTn(async tn => {
    seen.length = 0
    for await (const row of tn.getRange(0, rowCount)) seen.push(row)
  })
  assert.deepEqual(seen, expected)
})

check('a reversed range streams the same rows backwards', async db => {
  const rows = await withNumbers(db)
  assert.deepEqual(await rows.getRangeAll(0, rowCount, { reverse: true }), [...expected].reverse())
})

check('every streaming mode gives the same rows', async db => {
  const rows = await withNumbers(db)
  for (const mode of ['Iterator', 'Small', 'Medium', 'Large', 'Serial', 'WantAll']) {
    assert.deepEqual(await rows.getRangeAll(0, rowCount, { streamingMode: StreamingMode[mode] }), expected, mode)
  }
  const exact = await rows.getRangeAll(0, rowCount, { streamingMode: StreamingMode.Exact, limit: rowCount })
  assert.deepEqual(exact, expected, 'Exact')
})

check('a limit is kept, from either end', async db => {
  const rows = await withNumbers(db)
  assert.deepEqual(await rows.getRangeAll(10, rowCount, { limit: 3 }), expected.slice(10, 13))
  assert.deepEqual(await rows.getRangeAll(0, 10, { limit: 2, reverse: true }), [expected[9], expected[8]])
})

check('a byte target cuts a batch and says that there is more', async db => {
  const rows = await withNumbers(db)
  const tn = rows.rawCreateTransaction()
  const from = keySelector.firstGreaterOrEqual(0)
  const to = keySelector.firstGreaterOrEqual(rowCount)
  const { results, more } = await tn.getRangeRaw(from, to, 0, 200, StreamingMode.Iterator, 1, false)
  assert.equal(more, true)
  assert.ok(results.length > 0 && results.length < rowCount)
  assert.deepEqual(results, expected.slice(0, results.length))
})

check('a range shows what its transaction wrote and cleared', async db => {
  await fill(db, ['a', 'b', 'c', 'd', 'e'])
  await db.doTn(async tn => {
    tn.set('bb', 'new')
    tn.set('d', 'changed')
    tn.clearRange('b', 'bb')
    tn.clear('e')
    const rows = textRows(await tn.getRangeAll('a', 'z'))
    assert.deepEqual(rows, [['a', 'a'], ['bb', 'new'], ['c', 'c'], ['d', 'changed']])
    const backwards = textRows(await tn.getRangeAll('a', 'z', { reverse: true }))
    assert.deepEqual(backwards, rows.reverse())
  })
})

check('clearRange takes the begin and leaves the end', async db => {
  await fill(db, ['a', 'b', 'c', 'd'])
  await db.clearRange('b', 'd')
  assert.deepEqual(textRows(await db.getRangeAllStartsWith('')), [['a', 'a'], ['d', 'd']])
})

check('a prefix range ends where the prefix does', async db => {
  await fill(db, ['a', 'a\x00', 'a\x7f', 'b'])
  assert.deepEqual((await db.getRangeAllStartsWith('a')).map(([key]) => text(key)), ['a', 'a\x00', 'a\x7f'])
})

check('the ends of a range may be selectors', async db => {
  await fill(db, ['a', 'b', 'c', 'd'])
  const rows = await db.getRangeAll(keySelector.firstGreaterThan('a'), keySelector.firstGreaterThan('c'))
  assert.deepEqual(textRows(rows), [['b', 'b'], ['c', 'c']])
})

check('a selector finds the key before, at and after', async db => {
  await fill(db, ['a', 'c', 'e'])
  const find = async selector => text(await db.getKey(selector))
  assert.equal(await find(keySelector.lastLessThan('c')), 'a')
  assert.equal(await find(keySelector.lastLessOrEqual('c')), 'c')
  assert.equal(await find(keySelector.firstGreaterOrEqual('c')), 'c')
  assert.equal(await find(keySelector.firstGreaterThan('c')), 'e')
  assert.equal(await find(keySelector.lastLessOrEqual('d')), 'c')
  assert.equal(await find(keySelector.firstGreaterOrEqual('d')), 'e')
})

check('a selector walks by its offset, either way', async db => {
  await fill(db, ['a', 'b', 'c', 'd', 'e'])
  const find = async selector => text(await db.getKey(selector))
  assert.equal(await find(keySelector.add(keySelector.firstGreaterOrEqual('a'), 3)), 'd')
  assert.equal(await find(keySelector.add(keySelector.lastLessThan('e'), -2)), 'b')
})

check('a selector walks over cleared keys and stops at written ones', async db => {
  await fill(db, ['a', 'b', 'c', 'd'])
  await db.doTn(async tn => {
    tn.clear('b')
    tn.set('cc', 'new')
    assert.equal(text(await tn.getKey(keySelector.firstGreaterThan('a'))), 'c')
    assert.equal(text(await tn.getKey(keySelector.add(keySelector.firstGreaterThan('a'), 1))), 'cc')
    assert.equal(text(await tn.getKey(keySelector.lastLessThan('c'))), 'a')
  })
})

check('a selector that leaves the subspace finds nothing', async db => {
  await fill(db, ['a'])
  assert.equal(await db.getKey(keySelector.firstGreaterThan('a')), undefined)
  assert.equal(await db.getKey(keySelector.lastLessThan('a')), undefined)
})

check('the estimated size of a range is a number of bytes', async db => {
  const rows = await withNumbers(db)
  assert.ok((await rows.getEstimatedRangeSizeBytes(0, rowCount)) >= 0)
})

// FoundationDB has them from API version 700 on, and its older clients lack the function.
if (apiVersion >= 700) {
  check('split points begin and end with the range', async db => {
    const rows = await withNumbers(db)
    const points = await rows.getRangeSplitPoints(0, rowCount, 2000)
    assert.equal(points[0], 0)
    assert.equal(points.at(-1), rowCount)
    assert.deepEqual(points, [...points].sort((a, b) => a - b))
  })
}
