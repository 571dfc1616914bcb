// The npm package `foundationdb` brings its own test suite. This runs it, unchanged, on the libfdb_c.so under test.
//
// usage: see run.sh. Engine only: the suite asks for a client of 7.0 or newer. It keeps to keys below `__test_data__/`
// and clears them.

import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const { cases, afterAll } = require('mocha')
for (const file of ['kv', 'range', 'directory', 'state']) require(`foundationdb/dist/test/${file}.js`)

// What mocha gives a case as `this`: the time limits are ours, through ctest.
const context = { slow() {}, timeout() {} }

let failed = 0
for (const { title, body, beforeEach, afterEach } of cases) {
  try {
    for (const hook of beforeEach) await hook()
    await body.call(context)
    for (const hook of afterEach) await hook()
    console.log(`ok    ${title}`)
  } catch (error) {
    failed++
    console.log(`FAIL  ${title}\n${error?.stack ?? error}`)
  }
}
for (const hook of afterAll) await hook()

console.log(`${cases.length - failed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0
