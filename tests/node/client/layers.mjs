// The tuple and the directory layer of the npm package.

import assert from 'node:assert/strict'
import { check, fdb, text } from '../harness.mjs'

const { tuple } = fdb
const directories = db =>
  new fdb.DirectoryLayer({
    nodeSubspace: db.subspace.at('nodes/'),
    contentSubspace: db.subspace.at('content/'),
  })

// In tuple order.
const keys = [
  [null],
  [Buffer.from([0, 1])],
  ['text'],
  ['text', null],
  ['text\x00more'],
  [['nested', null, ['deeper']], 1],
  [-(2n ** 70n)],
  [-300],
  [-1],
  [0],
  [1],
  [255],
  [2n ** 70n],
  [{ type: 'float', value: 1.5 }],
  [{ type: 'double', value: -1.5 }],
  [false],
  [true],
  [{ type: 'uuid', value: Buffer.from('0123456789abcdef') }],
  [{ type: 'versionstamp', value: Buffer.from('0123456789ab') }],
]

check('tuples of every type are keys, and come back in tuple order', async db => {
  const rows = db.withKeyEncoding(fdb.encoders.tuple).withValueEncoding(fdb.encoders.string)
  await rows.doTn(async tn => {
    for (const key of [...keys].reverse()) tn.set(key, 'value')
  })
  // Compared as bytes: this tuple layer reads a float as a plain number, which it would pack as a double.
  const stored = (await db.getRangeAllStartsWith('')).map(([key]) => key)
  assert.deepEqual(stored, keys.map(key => tuple.pack(key)))
  assert.deepEqual(await rows.get(['text', null]), 'value')
})

check('a tuple prefix holds its children and nothing else', async db => {
  const rows = db.withKeyEncoding(fdb.encoders.tuple).withValueEncoding(fdb.encoders.string)
  await rows.set(['a'], 'itself')
  await rows.set(['a', 1], 'child')
  await rows.set(['a\x00'], 'another')
  await rows.set(['b', 1], 'another')
  assert.deepEqual(await rows.getRangeAllStartsWith(['a']), [[['a', 1], 'child']])
  await rows.clearRangeStartsWith(['a'])
  assert.equal((await rows.getRangeAllStartsWith([])).length, 3)
})

check('a directory keeps its contents apart, and is found again', async db => {
  const layer = directories(db)
  const created = await layer.create(db, ['app', 'users'])
  await db.at(created).set('alice', 'here')
  const opened = await layer.open(db, ['app', 'users'])
  assert.deepEqual(opened.getSubspace().prefix, created.getSubspace().prefix)
  assert.equal(text(await db.at(opened).get('alice')), 'here')
  assert.equal(await db.at(await layer.open(db, ['app'])).get('alice'), undefined)
  await assert.rejects(layer.create(db, ['app', 'users']))
  await assert.rejects(layer.open(db, ['app', 'nobody']))
})

check('directories are listed, moved and removed', async db => {
  const layer = directories(db)
  for (const name of ['b', 'a', 'c']) await db.at(await layer.create(db, ['app', name])).set('key', name)
  assert.deepEqual((await layer.listAll(db, ['app'])).map(String), ['a', 'b', 'c'])
  const moved = await layer.move(db, ['app', 'a'], ['app', 'z'])
  assert.equal(text(await db.at(moved).get('key')), 'a')
  assert.equal(await layer.exists(db, ['app', 'a']), false)
  const removed = await layer.open(db, ['app', 'b'])
  await layer.remove(db, ['app', 'b'])
  assert.equal(await db.at(removed).get('key'), undefined)
  assert.deepEqual((await layer.listAll(db, ['app'])).map(String), ['c', 'z'])
})

check('a directory of another layer is refused', async db => {
  const layer = directories(db)
  await layer.create(db, 'files', 'blob')
  await layer.open(db, 'files', 'blob')
  await assert.rejects(layer.open(db, 'files', 'table'))
})

check('a partition holds directories of its own', async db => {
  const partition = await directories(db).create(db, 'tenant', 'partition')
  assert.ok(partition.isPartition())
  await db.at(await partition.create(db, 'inner')).set('key', 'value')
  assert.deepEqual((await partition.listAll(db)).map(String), ['inner'])
})

check('directories made side by side get prefixes of their own', async db => {
  const layer = directories(db)
  const names = Array.from({ length: 40 }, (_, i) => `dir${i}`)
  const made = await Promise.all(names.map(name => layer.createOrOpen(db, name)))
  const prefixes = new Set(made.map(directory => directory.getSubspace().prefix.toString('hex')))
  assert.equal(prefixes.size, names.length)
})
