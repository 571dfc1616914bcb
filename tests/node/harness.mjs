// The frame of the checks in client/: a database, a fresh subspace for each check, and the count at the end.
//
//   check('a cleared key is gone', async db => { ... assert ... })
//   await runChecks()
//
// Checks run one after the other, in the order in which they were declared. Each has an empty subspace of its own.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

// run.sh points NODE_PATH at the installed npm packages; `require` follows it, `import` would not.
export const fdb = createRequire(import.meta.url)('foundationdb')

export const apiVersion = Number(process.env.FDBJOBS_NODE_API_VERSION ?? 630)
try {
  fdb.setAPIVersion(apiVersion)
} catch (error) {
  // The package was built with newer headers than an older libfdb_c serves. It may say so and go on.
  if (error.code !== 2203) throw error
  fdb.setAPIVersion(apiVersion, apiVersion)
}

// No argument: FDB_CLUSTER_FILE decides, as it does for every client of FoundationDB.
export const root = fdb.open()

const checks = []

export function check(name, body) {
  checks.push({ name, body })
}

// Runs what was declared, prints a line for each check and the count, and sets the exit code.
export async function runChecks() {
  const ours = root.at(`fdbjobs-node-test/${process.pid}-${randomBytes(6).toString('hex')}/`)
  let failed = 0
  for (const [number, { name, body }] of checks.entries()) {
    const db = ours.at(`${number}/`)
    try {
      await body(db)
      console.log(`ok    ${name}`)
    } catch (error) {
      failed++
      console.log(`FAIL  ${name}\n${error?.stack ?? error}`)
    }
    await db.clearRangeStartsWith('')
  }
  root.close()
  console.log(`${checks.length - failed} passed, ${failed} failed`)
  process.exitCode = failed ? 1 : 0
}

// For assert.rejects and assert.throws: an error of the database with this code.
export function fdbError(code) {
  return error => error instanceof fdb.FDBError && error.code === code
}

// Strings are easier to read in a failed assertion than buffers.
export function text(buffer) {
  return buffer === undefined ? undefined : buffer.toString()
}

export function textRows(rows) {
  return rows.map(([key, value]) => [key.toString(), value.toString()])
}

// Sets the keys to themselves, in one transaction.
export async function fill(db, keys) {
  await db.doTn(async tn => {
    for (const key of keys) tn.set(key, key)
  })
}

// Runs other_process.mjs to its end: what to do, the whole key, and an argument.
export function inOtherProcess(what, key, argument) {
  const script = fileURLToPath(new URL('other_process.mjs', import.meta.url))
  return promisify(execFile)(process.execPath, [script, what, Buffer.from(key).toString('hex'), argument])
}

// 64-bit little-endian, the form in which ADD, MIN and MAX count.
export const int64 = {
  pack(number) {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(BigInt(number))
    return bytes
  },
  unpack: bytes => Number(bytes.readBigInt64LE()),
}
