// Reads the guestbook of guestbook.cc with the npm package `foundationdb`, which knows nothing of fdbjobs.
//
//   LD_LIBRARY_PATH=<folder of the embedded libfdb_c.so> NODE_PATH=<node_modules> node guestbook.mjs <folder>

import { createRequire } from 'node:module'

const fdb = createRequire(import.meta.url)('foundationdb')
fdb.setAPIVersion(630)

// What FoundationDB calls a cluster file is here the folder.
const db = fdb.open(process.argv[2]).withKeyEncoding(fdb.encoders.tuple)

const [entries, count] = await db.doTn(tn =>
  Promise.all([tn.getRangeAll(['guestbook', 'entry']), tn.get(['guestbook', 'count'])]),
)
for (const [[, , stamp], text] of entries.slice(0, 3)) console.log(`${stamp.value.toString('hex')} ${text}`)
console.log(`... ${entries.length} entries, and the count is ${count.readBigInt64LE()}`)
db.close()
