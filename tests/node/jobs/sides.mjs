// The two sides of the interop checks: layer.mjs here, and C++ in a process of its own. Both have the same calls with
// the same answers, so a check can give any step to any side.
//
//   const side = node(prefix)                 // or cpp(prefix)
//   await side.add(type, id, { priority, data })   // 'added'
//
// Arguments are packed elements and bytes, answers have them in hex.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fdb, root } from '../harness.mjs'
import { JobsLayer } from './layer.mjs'

const hex = bytes => (bytes === null ? '-' : Buffer.from(bytes).toString('hex'))

// Buffers in hex, however deep.
function inHex(value) {
  if (Buffer.isBuffer(value)) return value.toString('hex')
  if (Array.isArray(value)) return value.map(inHex)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inHex(inner)]))
}

// The calls of a layer in JavaScript, each in a transaction of its own.
export function node(prefix) {
  const layer = new JobsLayer(fdb, root, prefix)
  const one = async body => inHex(await layer.transact(body))
  return {
    layer,
    timeout: (type, ms) => one(work => work.timeout(type, ms)),
    clearTimeout: type => one(work => work.clearTimeout(type)),
    raise: () => one(work => work.raise()),
    add: (type, id, options) => one(work => work.add(type, id, options)),
    accept: (type, limit, lock, max = null) => one(work => work.accept(type, limit, lock, max)),
    whole: (type, limit, lock, max = null) => one(work => work.whole(type, limit, undefined, max)),
    update: (type, id, lock, data = null) => one(work => work.update(type, id, lock, data)),
    finish: (type, id, lock, data = null, remove = false) => one(work => work.finish(type, id, lock, data, remove)),
    resubmitByWorker: (type, id, lock, priority = null) =>
      one(work => work.resubmitByWorker(type, id, lock, priority)),
    cancel: (type, id) => one(work => work.cancel(type, id)),
    resubmit: (type, id) => one(work => work.resubmit(type, id)),
    remove: (type, id) => one(work => work.remove(type, id)),
    setPriority: (type, id, priority) => one(work => work.setPriority(type, id, priority)),
    rescue: type =>
      one(async work => {
        const now = await work.sample(type)
        return now === undefined ? { reenqueued: 0, finished: 0, dropped: 0 } : work.rescue(type, now)
      }),
    counts: type => one(work => work.counts(type)),
    queue: type => one(work => work.queue(type)),
    get: (type, id) =>
      one(async work => {
        const job = await work.read(type, id)
        if (job === null) return null
        const { priority, data, cancel, resubmit } = job.opts
        return { state: job.state, priority, data, cancel, resubmit, lock: job.lock }
      }),
  }
}

let peer = null

// Starts the program. It ends with stopPeer.
export function startPeer(program, database) {
  const child = spawn(program, [database], { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = []
  createInterface({ input: child.stdout }).on('line', line => waiting.shift()?.resolve(JSON.parse(line)))
  const ended = new Promise(resolve => {
    child.on('exit', (code, signal) => {
      for (const one of waiting) one.reject(new Error(`the C++ side ended: ${code ?? signal}`))
      resolve(code)
    })
  })
  peer = { child, waiting, ended }
}

export function stopPeer() {
  peer.child.stdin.end()
  return peer.ended
}

async function ask(...words) {
  const answer = await new Promise((resolve, reject) => {
    peer.waiting.push({ resolve, reject })
    peer.child.stdin.write(`${words.join(' ')}\n`)
  })
  if (answer?.error !== undefined) throw new Error(answer.error)
  return answer
}

const text = data => (data === null ? '-' : hex(data))

// The same calls, in C++.
export function cpp(prefix) {
  const call = (name, ...words) => ask(name, hex(prefix), ...words)
  return {
    timeout: (type, ms) => call('timeout', hex(type), ms),
    clearTimeout: type => call('clearTimeout', hex(type)),
    raise: () => call('raise'),
    add: (type, id, { priority = Buffer.from('14', 'hex'), data = '', ifExists = 'error' } = {}) =>
      call('add', hex(type), hex(id), hex(priority), text(data), ifExists),
    accept: (type, limit, lock, max = null) => call('accept', hex(type), limit, hex(lock), hex(max)),
    whole: (type, limit, lock, max = null) => call('whole', hex(type), limit, hex(lock), hex(max)),
    update: (type, id, lock, data = null) => call('update', hex(type), hex(id), hex(lock), text(data)),
    finish: (type, id, lock, data = null, remove = false) =>
      call('finish', hex(type), hex(id), hex(lock), text(data), remove ? 'remove' : 'keep'),
    resubmitByWorker: (type, id, lock, priority = null) =>
      call('resubmitByWorker', hex(type), hex(id), hex(lock), hex(priority)),
    cancel: (type, id) => call('cancel', hex(type), hex(id)),
    resubmit: (type, id) => call('resubmit', hex(type), hex(id)),
    remove: (type, id) => call('remove', hex(type), hex(id)),
    setPriority: (type, id, priority) => call('setPriority', hex(type), hex(id), hex(priority)),
    rescue: type => call('rescue', hex(type)),
    counts: type => call('counts', hex(type)),
    queue: type => call('queue', hex(type)),
    get: (type, id) => call('get', hex(type), hex(id)),
    drain: (type, effects) => call('drain', hex(type), hex(effects)),
    // The violations of what must always hold.
    check: () => call('check'),
  }
}
