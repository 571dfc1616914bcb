// JobOpts, as docs/keyspace.md has them: taken apart as text, so that data come back byte for byte.

import { createRequire } from 'node:module'

const tuple = createRequire(import.meta.url)('fdb-tuple')

const zero = tuple.pack([0])

// Where the value that begins at `at` ends: at the comma or brace behind it.
function endOfValue(text, at) {
  let depth = 0
  for (let quoted = false; at < text.length; at++) {
    const letter = text[at]
    if (quoted) {
      if (letter === '\\') at++
      else if (letter === '"') quoted = false
      continue
    }
    if (letter === '"') quoted = true
    else if (letter === '{' || letter === '[') depth++
    else if (depth === 0 && (letter === ',' || letter === '}')) return at
    else if (letter === '}' || letter === ']') depth--
  }
  throw new Error(`JobOpts that do not end: ${text}`)
}

// [name, text of the value], in the order of the fields.
function fieldsOf(text) {
  const fields = []
  const next = /\s*([{,])\s*(?:"([^"]*)"\s*:|(?=\}))/y
  for (let at = 0; ;) {
    next.lastIndex = at
    const match = next.exec(text)
    if (!match) break
    at = next.lastIndex
    if (match[2] === undefined) break
    const end = endOfValue(text, at)
    fields.push([match[2], text.slice(at, end)])
    at = end
  }
  return fields
}

// The packed element of a priority's JSON.
function priorityFromJson(json) {
  const text = json.trim()
  if (text.startsWith('{')) return Buffer.from(JSON.parse(text).packed, 'hex')
  if (!/^-?\d/.test(text)) return tuple.pack([JSON.parse(text)])
  if (/^-?\d+$/.test(text)) {
    const number = BigInt(text)
    if (number >= -(2n ** 63n) && number < 2n ** 64n) return tuple.pack([number])
  }
  return tuple.pack([{ type: 'double', value: Number(text) }])
}

function doubleToJson(value) {
  const text = Object.is(value, -0) ? '-0' : String(value)
  return /[.e]/.test(text) ? text : `${text}.0`
}

function textToJson(text) {
  const escape = letter => (letter < ' ' ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : `\\${letter}`)
  return `"${text.replace(/["\\\u0000-\u001f]/g, escape)}"`
}

export function priorityToJson(packed) {
  const [value] = tuple.unpack(packed, true)
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return textToJson(value)
  if (typeof value === 'number' || typeof value === 'bigint') {
    const number = BigInt(value)
    if (number >= -(2n ** 63n) && number < 2n ** 64n) return String(number)
  }
  if (value.type === 'double' && Number.isFinite(value.value)) return doubleToJson(value.value)
  return `{"packed":"${packed.toString('hex')}"}`
}

export class JobOpts {
  priority = zero // packed
  added = null // milliseconds
  cancel = false
  resubmit = false
  others = [] // texts of fields that this version does not know
  data = '' // JSON; empty when there is none

  static parse(text) {
    const opts = new JobOpts()
    for (const [name, value] of fieldsOf(text)) {
      if (name === 'priority') opts.priority = priorityFromJson(value)
      else if (name === 'added') opts.added = Number(value)
      else if (name === 'cancel') opts.cancel = value.trim() === 'true'
      else if (name === 'resubmit') opts.resubmit = value.trim() === 'true'
      else if (name === 'data') opts.data = value
      else opts.others.push(`"${name}":${value}`)
    }
    return opts
  }

  toString() {
    const fields = []
    if (!this.priority.equals(zero)) fields.push(`"priority":${priorityToJson(this.priority)}`)
    if (this.added !== null) fields.push(`"added":${this.added}`)
    if (this.cancel) fields.push('"cancel":true')
    if (this.resubmit) fields.push('"resubmit":true')
    fields.push(...this.others)
    if (this.data !== '') fields.push(`"data":${this.data}`)
    return `{${fields.join(',')}}`
  }
}
