// All rows of a layer as text, in a form in which two layers that saw the same calls are equal: versionstamps by their
// rank, times left out, receipts left out.

import { createRequire } from 'node:module'
import { root } from '../harness.mjs'

const tuple = createRequire(import.meta.url)('fdb-tuple')

function collectStamps(value, stamps) {
  if (Array.isArray(value)) for (const inner of value) collectStamps(inner, stamps)
  else if (value?.type === 'versionstamp') stamps.add(value.value.subarray(0, 10).toString('hex'))
}

function show(value, ranks) {
  if (Array.isArray(value)) return `(${value.map(inner => show(inner, ranks)).join(', ')})`
  if (value?.type === 'versionstamp') {
    const rank = ranks.get(value.value.subarray(0, 10).toString('hex'))
    return `stamp ${rank}:${value.value.readUInt16BE(10)}`
  }
  if (typeof value === 'string') return JSON.stringify(value.replace(/"added":\d+/, '"added":0'))
  return tuple.pack([value]).toString('hex')
}

export async function dump(prefix) {
  const end = Buffer.concat([prefix, Buffer.from([0xff])])
  const rows = []
  const stamps = new Set()
  for (const [key, value] of await root.getRangeAll(prefix, end)) {
    const elements = tuple.unpack(key.subarray(prefix.length), true)
    if (elements[0] !== 'couch_jobs' || elements[1] === 'receipt') continue
    const row = { key: elements, value: elements[1] === 'count' ? value : tuple.unpack(value, true) }
    collectStamps(row.key, stamps)
    collectStamps(row.value, stamps)
    rows.push(row)
  }
  const ranks = new Map([...stamps].sort().map((stamp, rank) => [stamp, rank]))
  return rows.map(({ key, value }) => `${show(key, ranks)} = ${show(value, ranks)}`)
}
