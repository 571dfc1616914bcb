// A client that nobody here wrote: the npm package `foundationdb`, unchanged, on the libfdb_c.so under test.
//
// usage: see run.sh. FDBJOBS_NODE_API_VERSION is the API version that the client asks for (default: 630).

import './client/basics.mjs'
import './client/ranges.mjs'
import './client/atomic_ops.mjs'
import './client/versionstamps.mjs'
import './client/watches.mjs'
import './client/conflicts.mjs'
import './client/layers.mjs'
import { runChecks } from './harness.mjs'

await runChecks()
