// Every row of docs/keyspace.md: keys, values, ranges, and operands to stamp.
//
// Types, ids and priorities are packed elements everywhere.

import { createRequire } from 'node:module'

const tuple = createRequire(import.meta.url)('fdb-tuple')

export const watchUserVersion = 65535

const uuid = value => ({ type: 'uuid', value })

// A packed tuple with an incomplete versionstamp, `before` it, as SET_VERSIONSTAMPED_* take it.
function toStamp(before, elements) {
  const { data, stampPos } = tuple.packUnboundVersionstamp(elements)
  const operand = Buffer.concat([before, data, Buffer.alloc(4)])
  operand.fill(0xff, before.length + stampPos, before.length + stampPos + 10)
  operand.writeUInt32LE(before.length + stampPos, operand.length - 4)
  return operand
}

const stamp = userVersion => tuple.unboundVersionstamp(userVersion)

export class Keys {
  constructor(prefix = Buffer.alloc(0)) {
    this.prefix = Buffer.from(prefix)
  }

  below(name, ...packed) {
    return Buffer.concat([this.prefix, tuple.pack(['couch_jobs', name]), ...packed])
  }
  data(type, id) {
    return this.below('data', type, id)
  }
  pending(type, priority, id) {
    return this.below('pending', type, priority, id)
  }
  // `sequence` packed, as it stands in a data row.
  activity(type, sequence) {
    return this.below('activity', type, sequence)
  }
  activityToStamp(type, incarnation, userVersion) {
    return toStamp(this.below('activity', type), [[incarnation, stamp(userVersion)]])
  }
  activityTimeout(type) {
    return this.below('activity_timeout', type)
  }
  watches(type) {
    return this.below('watches', type)
  }
  pendingWatch(type) {
    return this.below('pending_watch', type)
  }
  count(type, state) {
    return this.below('count', type, tuple.pack([state]))
  }
  typesWatch() {
    return this.below('types_watch')
  }
  incarnation() {
    return this.below('incarnation')
  }
  receipt(process, slot) {
    return this.below('receipt', tuple.pack([uuid(process), slot]))
  }

  // [begin, end) of what lies below a key.
  static rangeBelow(key) {
    return [Buffer.concat([key, Buffer.from([0])]), Buffer.concat([key, Buffer.from([0xff])])]
  }
  queue(type, maxPriority = null) {
    const [begin, end] = Keys.rangeBelow(this.below('pending', type))
    return [begin, maxPriority === null ? end : Keys.rangeBelow(this.below('pending', type, maxPriority))[1]]
  }
  // Activity rows up to a packed sequence, included.
  activityUntil(type, sequence) {
    const [begin] = Keys.rangeBelow(this.below('activity', type))
    return [begin, Buffer.concat([this.activity(type, sequence), Buffer.from([0])])]
  }

  // What stands behind the name and the type in a key, each element packed.
  rest(name, type, key) {
    const elements = tuple.unpack(key.subarray(this.below(name, type).length), true)
    return elements.map(element => tuple.pack([element]))
  }
}

// The value of a data row: {state, sequence, lock, text}; the sequence packed, the lock in 16 bytes, JobOpts as text.
export const dataRow = {
  decode(value) {
    const [sequence, lock, text, ...more] = tuple.unpack(value, true)
    if (typeof text !== 'string' || more.length > 0) throw new Error('a data row of three elements is expected')
    if (sequence === 0 && lock === null) return { state: 'pending', sequence: null, lock: null, text }
    if (sequence === null && lock === null) return { state: 'finished', sequence: null, lock: null, text }
    if (!Array.isArray(sequence) || lock?.type !== 'uuid') throw new Error('a data row of no known state')
    return { state: 'running', sequence: tuple.pack([sequence]), lock: lock.value, text }
  },
  encode({ state, sequence, lock, text }) {
    if (state === 'running') return Buffer.concat([sequence, tuple.pack([uuid(lock), text])])
    return tuple.pack([state === 'pending' ? 0 : null, null, text])
  },
  toStamp(incarnation, userVersion, lock, text) {
    return toStamp(Buffer.alloc(0), [[incarnation, stamp(userVersion)], uuid(lock), text])
  },
}

export const watchToStamp = incarnation => toStamp(Buffer.alloc(0), [[incarnation, stamp(watchUserVersion)]])
export const stampAlone = () => toStamp(Buffer.alloc(0), [stamp(watchUserVersion)])
export const numbers = (...values) => tuple.pack(values)
export const firstNumber = value => Number(tuple.unpack(value)[0])
