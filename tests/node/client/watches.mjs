// Watches, within this process and across processes.

import assert from 'node:assert/strict'
import { check, inOtherProcess, text } from '../harness.mjs'

const stillWaiting = Symbol('still waiting')
const now = promise => Promise.race([promise, Promise.resolve(stillWaiting)])

check('a watch fires when the value changes', async db => {
  await db.set('key', 'old')
  const watch = await db.getAndWatch('key')
  assert.equal(text(watch.value), 'old')
  await db.set('key', 'new')
  assert.equal(await watch.promise, true)
})

check('a watch on a key that is not there fires when it comes', async db => {
  const watch = await db.getAndWatch('key')
  assert.equal(watch.value, undefined)
  await db.set('key', 'new')
  assert.equal(await watch.promise, true)
})

check('a watch fires when the key is cleared', async db => {
  const watch = await db.setAndWatch('key', 'value')
  await db.clear('key')
  assert.equal(await watch.promise, true)
})

check('a watch does not fire for a rewrite of the same value', async db => {
  await db.set('key', 'same')
  const watch = await db.getAndWatch('key')
  const later = await db.getAndWatch('later')
  await db.set('key', 'same')
  await db.set('later', 'x')
  assert.equal(await later.promise, true)
  assert.equal(await now(watch.promise), stillWaiting)
  await db.set('key', 'other')
  assert.equal(await watch.promise, true)
})

check('a watch compares with what its own transaction wrote', async db => {
  await db.set('key', 'old')
  const watch = await db.setAndWatch('key', 'mine')
  assert.equal(await now(watch.promise), stillWaiting)
  await db.set('key', 'theirs')
  assert.equal(await watch.promise, true)
})

check('many watches on one key all fire', async db => {
  const watches = await Promise.all(Array.from({ length: 20 }, () => db.getAndWatch('key')))
  await db.set('key', 'value')
  assert.deepEqual(await Promise.all(watches.map(watch => watch.promise)), Array(20).fill(true))
})

check('a cancelled watch ends without firing', async db => {
  const watch = await db.getAndWatch('key')
  watch.cancel()
  assert.equal(await watch.promise, false)
})

check('the watch of a cancelled transaction ends without firing', async db => {
  const tn = db.rawCreateTransaction()
  const watch = tn.watch('key')
  tn.rawCancel()
  assert.equal(await watch.promise, false)
})

check('a watch fires for a change made by another process', async db => {
  const watch = await db.getAndWatch('key')
  await inOtherProcess('set', db.subspace.packKey('key'), 'from the other process')
  assert.equal(await watch.promise, true)
  assert.equal(text(await db.get('key')), 'from the other process')
})
