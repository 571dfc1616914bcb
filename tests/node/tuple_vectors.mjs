// Holds npm's fdb-tuple, which nobody here wrote, against docs/tuple.md and against our C++ code.
//
// usage: node tuple_vectors.mjs [folder with node_modules] [docs/tuple.md] [tuple_echo]
//
// The arguments may come in any order: a folder, a page (.md), a program. Without a folder NODE_PATH decides; without a
// page it is that of this repository. Without the program (tests/keyspace/tuple_echo.cc) only the page is checked, and
// the last lines say so. FDBJOBS_TEST_SEED repeats a run.
import {spawnSync} from 'node:child_process'
import {readFileSync, statSync} from 'node:fs'
import {createRequire} from 'node:module'
import path from 'node:path'
import {fileURLToPath} from 'node:url'

const here = path.dirname(fileURLToPath(import.meta.url))
const args = process.argv.slice(2)
const folder = args.find((arg) => statSync(arg).isDirectory())
const page = args.find((arg) => arg.endsWith('.md')) ?? path.join(here, '../../docs/tuple.md')
const echo = args.find((arg) => arg !== folder && arg !== page)
const require = createRequire(folder ? path.resolve(folder, 'none.js') : import.meta.url)
const tuple = require('fdb-tuple')

let passed = 0
let failed = 0
const check = (what, body) => {
  try {
    const problem = body()
    if (problem === undefined) {
      ++passed
      return
    }
    console.log(`FAILED ${what}: ${problem}`)
  } catch (error) {
    console.log(`FAILED ${what}: ${error.stack}`)
  }
  ++failed
}
const same = (name, actual, expected) => (actual === expected ? undefined : `${name} is ${actual}, not ${expected}`)

// The notation of docs/tuple.md, as values of fdb-tuple.
class Parser {
  constructor(text) {
    this.text = text
    this.at = 0
  }

  take(token) {
    if (!this.text.startsWith(token, this.at)) return false
    this.at += token.length
    return true
  }

  match(pattern) {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.text)
    if (!match) throw new Error(`not in the notation at ${this.at}: ${this.text}`)
    this.at = pattern.lastIndex
    return match
  }

  tuple() {
    const elements = []
    this.match(/\(/y)
    while (!this.take(')')) {
      if (elements.length) this.match(/, /y)
      elements.push(this.element())
    }
    return elements
  }

  element() {
    if (this.text[this.at] === '(') return this.tuple()
    if (this.take('null')) return null
    if (this.take('true')) return true
    if (this.take('false')) return false
    if (this.take('b"')) return this.quoted()
    if (this.take('"')) return this.quoted().toString('utf8')
    if (this.take('float(')) return this.number('float', 4)
    if (this.take('double(')) return this.number('double', 8)
    if (this.take('uuid(')) return {type: 'uuid', value: hex(this.match(/([^)]*)\)/y)[1].replaceAll('-', ''))}
    if (this.take('versionstamp(')) return this.versionstamp()
    const [, sign, digits] = this.match(/(-?)(0x[0-9a-f]+|[0-9]+)/y)
    return sign ? -BigInt(digits) : BigInt(digits)
  }

  quoted() {
    const pieces = []
    for (;;) {
      const [piece, code] = this.match(/"|\\x(..)|\\.|[^"\\]+/uy)
      if (piece === '"') return Buffer.concat(pieces)
      if (code) pieces.push(hex(code))
      else pieces.push(Buffer.from(piece.startsWith('\\') ? piece.slice(1) : piece))
    }
  }

  number(type, size) {
    const [, nan, text] = this.match(/(?:nan:([0-9a-f]+)|([^)]+))\)/y)
    // A NaN's bits do not survive in a JavaScript number.
    if (nan) return {type, value: NaN, rawEncoding: hex(nan.padStart(2 * size, '0'))}
    return {type, value: Number(text.replace('inf', 'Infinity'))}
  }

  versionstamp() {
    const [, transaction, user] = this.match(/([^,]*), ([0-9]+)\)/y)
    const code = Number(user)
    if (transaction === 'incomplete') return {type: 'unbound versionstamp', code}
    return {type: 'versionstamp', value: Buffer.concat([hex(transaction), Buffer.from([code >> 8, code & 0xff])])}
  }
}

const hex = (text) => Buffer.from(text.replaceAll(' ', ''), 'hex')

const parse = (notation) => {
  const parser = new Parser(notation)
  const value = parser.tuple()
  if (parser.at !== notation.length) throw new Error(`more than a tuple: ${notation}`)
  return value
}

const isUnbound = (item) =>
  Array.isArray(item) ? item.some(isUnbound) : item !== null && item.type === 'unbound versionstamp'

// fdb-tuple packs a tuple with an incomplete versionstamp by a function of its own.
const pack = (value) =>
  isUnbound(value) ? tuple.packUnboundVersionstamp(value) : {data: tuple.pack(value), stampPos: undefined}

// All rows of the page's tables with this header, as cells without their backquotes.
const rowsOf = (text, header) => {
  const rows = []
  let inside = false
  for (const line of text.split('\n')) {
    if (line === header) inside = true
    else if (!line.startsWith('|')) inside = false
    else if (inside && !line.startsWith('|---')) {
      rows.push(line.split('|').slice(1, -1).map((cell) => cell.trim().replace(/^`|`$/g, '')))
    }
  }
  if (rows.length === 0) throw new Error(`no rows under ${header}`)
  return rows
}

const checkPage = (text) => {
  for (const [notation, bytes] of rowsOf(text, '| tuple | packed bytes |')) {
    const expected = hex(bytes).toString('hex')
    check(`packing ${notation}`, () => same('packed', pack(parse(notation)).data.toString('hex'), expected))
    check(`reading ${notation}`, () =>
      same('packed again', pack(tuple.unpack(hex(bytes), true)).data.toString('hex'), expected))
  }
  for (const [prefix, notation, user, offset, operand] of rowsOf(
    text, '| prefix | tuple | user version | offset | operand |')) {
    check(`versionstamped ${notation}`, () => {
      const value = parse(user ? notation.replace(/incomplete, [0-9]+/, `incomplete, ${user}`) : notation)
      const {data, stampPos} = pack(value)
      const end = Buffer.alloc(4)
      end.writeUInt32LE(hex(prefix).length + stampPos)
      return same('offset', String(hex(prefix).length + stampPos), offset) ??
        same('operand', Buffer.concat([hex(prefix), data, end]).toString('hex'), hex(operand).toString('hex'))
    })
  }
}

// Small and seeded; good enough to choose test values.
const makeRandom = (seed) => {
  let state = seed >>> 0
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
  }
}

const randomBytes = (random, size) =>
  Buffer.from(Array.from({length: size}, () => (random(2) ? [0x00, 0x01, 0xfe, 0xff][random(4)] : random(256))))

const randomInteger = (random, size) => {
  const magnitude = BigInt(`0x0${randomBytes(random, size).toString('hex')}`)
  return random(2) ? magnitude : -magnitude
}

const randomElement = (random, depth) => {
  switch (random(depth > 0 ? 11 : 10)) {
    case 0: return null
    case 1: return randomBytes(random, random(6))
    case 2: return Array.from({length: random(5)}, () => ['\0', 'a', 'Ô', '€', '😀'][random(5)]).join('')
    case 3: return random(2) ? random(70000) : -random(70000)
    case 4: return randomInteger(random, random(9))
    case 5: return randomInteger(random, random(8) ? 8 + random(4) : 255)
    case 6: return {type: 'float', value: randomBytes(random, 4).readFloatBE()}
    case 7: return {type: 'double', value: randomBytes(random, 8).readDoubleBE()}
    case 8: return random(2) === 0
    case 9:
      return random(2) ? {type: 'uuid', value: randomBytes(random, 16)}
        : {type: 'versionstamp', value: randomBytes(random, 12)}
    default: return randomTuple(random, depth - 1)
  }
}

const randomTuple = (random, depth) => Array.from({length: random(5)}, () => randomElement(random, depth))

// Packed by fdb-tuple, decoded and packed again by C++: nothing may change.
const checkEcho = (program) => {
  const seed = Number(process.env.FDBJOBS_TEST_SEED ?? Math.floor(Math.random() * 2 ** 32))
  console.log(`FDBJOBS_TEST_SEED=${seed}`)
  const random = makeRandom(seed)
  const packed = Array.from({length: 500}, () => {
    const value = randomTuple(random, 3)
    if (random(4) === 0) value.push({type: 'unbound versionstamp', code: random(65536)})
    return pack(value).data.toString('hex')
  })
  const run = spawnSync(program, {input: packed.map((line) => line + '\n').join(''), encoding: 'utf8'})
  check('tuple_echo ends well', () => same('status', run.status, 0) && `${run.error ?? ''}${run.stderr}`)
  const echoed = (run.stdout ?? '').split('\n')
  packed.forEach((line, i) => check(`echo of tuple ${i}`, () => same('echo', echoed[i], line)))
}

checkPage(readFileSync(page, 'utf8'))
if (echo) checkEcho(echo)
else console.log('random tuples were not tried: no tuple_echo was given')
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
