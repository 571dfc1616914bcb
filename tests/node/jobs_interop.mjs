// docs/keyspace.md put to the test: a jobs layer in JavaScript, written from that page (jobs/layer.mjs), beside the one
// in C++, on one database.
//
// usage: jobs_interop.mjs <jobs_interop_peer>, see run.sh

import './jobs/page.mjs'
import './jobs/same_rows.mjs'
import './jobs/together.mjs'
import { runChecks } from './harness.mjs'
import { startPeer, stopPeer } from './jobs/sides.mjs'

startPeer(process.argv[2], process.env.FDBJOBS_TEST_DB)
await runChecks()
if ((await stopPeer()) !== 0) process.exitCode = 1
