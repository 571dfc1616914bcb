// What a second process does in the checks of client/.
//
// usage: other_process.mjs set <key in hex> <value>
//        other_process.mjs increment <key in hex> <times>

import { int64, root } from './harness.mjs'

const [what, hexKey, argument] = process.argv.slice(2)
const key = Buffer.from(hexKey, 'hex')
const counters = root.withValueEncoding(int64)

switch (what) {
  case 'set':
    await root.set(key, argument)
    break
  case 'increment':
    for (let i = 0; i < Number(argument); i++) {
      await counters.doTn(async tn => tn.set(key, ((await tn.get(key)) ?? 0) + 1))
    }
    break
  default:
    throw new Error(`unknown: ${what}`)
}
root.close()
