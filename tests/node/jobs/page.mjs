// The vectors of docs/keyspace.md, held against rows.mjs and job_opts.mjs.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { check } from '../harness.mjs'
import { JobOpts, priorityToJson } from './job_opts.mjs'
import { Keys, dataRow, numbers, stampAlone, watchToStamp } from './rows.mjs'

const tuple = createRequire(import.meta.url)('fdb-tuple')
const page = readFileSync(new URL('../../../docs/keyspace.md', import.meta.url), 'utf8')

// The cells of the table below `header`, without backquotes.
function table(header) {
  const lines = page.split('\n')
  const at = lines.indexOf(header)
  assert.ok(at >= 0, `the page has no table ${header}`)
  const end = lines.findIndex((line, i) => i > at && !line.startsWith('|'))
  return lines.slice(at + 2, end).map(line => {
    // No cell of the tables that are read here has a bar in it.
    return line.split('|').slice(1, -1).map(cell => cell.trim().replace(/^`(.*)`$/, '$1'))
  })
}

const bytes = cell => Buffer.from(cell.replaceAll(' ', ''), 'hex')
const spaced = buffer => buffer.toString('hex').replace(/..(?=.)/g, '$& ')
const packed = value => tuple.pack([value])
const lock = bytes('00112233445566778899aabbccddeeff')
const sequence = (incarnation, userVersion = 3) => {
  const value = bytes('000000deadbeef0102030000')
  value.writeUInt16BE(userVersion, 10)
  return packed([incarnation, { type: 'versionstamp', value }])
}

check('keys are those of the page', async () => {
  const keys = new Keys()
  const index = packed('index')
  const uuid = packed({ type: 'uuid', value: bytes('0199a1b2c3d47e5f8a6b7c8d9eafb0c1') })
  const job1 = packed('job-1')
  const expected = [
    keys.data(index, job1),
    keys.data(index, packed(7)),
    keys.data(packed(['mail', 2]), uuid),
    keys.pending(index, packed(0), job1),
    keys.pending(index, packed(-5), uuid),
    keys.pending(index, packed(1.5), job1),
    keys.watches(index),
    keys.activityTimeout(index),
    keys.activity(index, sequence(0)),
    keys.activity(index, sequence(1)),
    keys.pendingWatch(index),
    keys.count(index, 'pending'),
    keys.count(index, 'running'),
    keys.count(index, 'finished'),
    keys.typesWatch(),
    keys.incarnation(),
    keys.receipt(lock, 2),
  ]
  assert.deepEqual(expected.map(spaced), table('| row | key | bytes |').map(row => row[2]))
})

check('data rows of the page are read and written again', async () => {
  const rows = table('| row | value | bytes |').filter(([name]) => name.startsWith('data'))
  assert.equal(rows.length, 6)
  for (const [name, , cell] of rows) {
    const row = dataRow.decode(bytes(cell))
    assert.ok(name.includes(row.state), name)
    assert.equal(JobOpts.parse(row.text).toString(), row.text)
    assert.equal(spaced(dataRow.encode(row)), cell)
  }
})

check('operands are those of the page', async () => {
  const index = packed('index')
  const keys = new Keys()
  const expected = [
    keys.activityToStamp(index, 0, 0),
    keys.activityToStamp(index, 1, 258),
    new Keys(Buffer.from('t7/')).activityToStamp(index, 0, 1),
    dataRow.toStamp(0, 0, lock, '{"data":1}'),
    dataRow.toStamp(1, 258, lock, '{"data":1}'),
    watchToStamp(0),
    watchToStamp(1),
    stampAlone(),
  ]
  const rows = table('| written | prefix | tuple | offset | operand |')
  assert.deepEqual(expected.map(spaced), rows.map(row => row.at(-1)))
})

check('ranges are those of the page', async () => {
  const index = packed('index')
  const keys = new Keys()
  const expected = [
    keys.queue(index),
    keys.queue(index, packed(5)),
    Keys.rangeBelow(keys.below('data', index)),
    Keys.rangeBelow(keys.below('activity', index)),
    keys.activityUntil(index, sequence(0)),
    Keys.rangeBelow(keys.below('activity_timeout')),
  ]
  const rows = table('| rows of type `"index"` | begin | end |')
  assert.deepEqual(expected.map(range => range.map(spaced)), rows.map(row => row.slice(1)))
})

check('priorities are read and written as on the page', async () => {
  for (const [name, json, cell] of table('| priority | in JobOpts | in the pending key |')) {
    assert.equal(priorityToJson(bytes(cell)), json, name)
    assert.equal(spaced(JobOpts.parse(`{"priority":${json}}`).priority), cell, name)
  }
})

check('JobOpts are read and written as on the page', async () => {
  const header = '| JobOpts | priority | added | cancel | resubmit | other fields | data | written again |'
  const rows = table(header)
  assert.equal(rows.length, 6)
  for (const row of rows) assert.equal(JobOpts.parse(row[0]).toString(), row.at(-1))
})

check('counters and numbers are those of the page', async () => {
  for (const [count, cell] of table('| count | bytes |')) assert.equal(bytes(cell).readBigInt64LE(), BigInt(count))
  const values = table('| row | value | bytes |')
  assert.equal(spaced(numbers(60000)), values.find(([name]) => name === 'activity_timeout')[2])
  assert.equal(spaced(numbers(12, 1763440000123)), values.find(([name]) => name === 'receipt')[2])
})
