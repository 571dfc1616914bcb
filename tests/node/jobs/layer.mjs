// The jobs layer in JavaScript, written from docs/keyspace.md with the npm packages `foundationdb` and `fdb-tuple`.
//
// Types, ids and priorities are packed elements, locks 16 bytes, data JSON as text. Each call of JobsLayer is a
// transaction of its own; with a Work, calls of Work are part of a caller's transaction (transact), each job once.
//
//   const jobs = new JobsLayer(fdb, db, prefix)
//   await jobs.transact(async work => {
//     await work.add(type, id, { data: '{"n":1}' })
//     work.tn.set('order/7', '...')
//   })

import { randomBytes } from 'node:crypto'
import { JobOpts } from './job_opts.mjs'
import { Keys, dataRow, firstNumber, numbers, stampAlone, watchToStamp } from './rows.mjs'

const equal = (a, b) => (a && b ? a.equals(b) : a === b)

// One row for each open transaction of this process.
class Receipts {
  process = randomBytes(16)
  free = []
  slots = 0
  number = 0

  take(keys) {
    const slot = this.free.pop() ?? this.slots++
    return {
      key: keys.receipt(this.process, slot),
      value: numbers(this.number++, Date.now()),
      done: () => this.free.push(slot),
    }
  }
}

// One try of a transaction.
class Work {
  constructor(fdb, keys, tn) {
    this.fdb = fdb
    this.keys = keys
    this.tn = tn
    this.nextUserVersion = 0
    this.deltas = new Map() // by key, in hex
    this.stamped = new Set() // watch rows, in hex
    this.changed = false
  }

  stampValue(key, operand) {
    this.tn.atomicOpNative(this.fdb.MutationType.SetVersionstampedValue, key, operand)
  }
  stampWatch(key, operand) {
    if (this.stamped.has(key.toString('hex'))) return
    this.stamped.add(key.toString('hex'))
    this.stampValue(key, operand)
  }
  count(type, state, delta) {
    const key = this.keys.count(type, state).toString('hex')
    this.deltas.set(key, (this.deltas.get(key) ?? 0) + delta)
  }

  // Null when there is no such job.
  async read(type, id) {
    const value = await this.tn.get(this.keys.data(type, id))
    if (value === undefined) return null
    const row = dataRow.decode(value)
    return { type, id, ...row, opts: JobOpts.parse(row.text) }
  }
  async incarnation() {
    const value = await this.tn.get(this.keys.incarnation())
    return value === undefined ? 0 : firstNumber(value)
  }

  // Changes JobOpts and nothing else.
  mark(job, changes) {
    this.changed = true
    Object.assign(job.opts, changes)
    this.tn.set(this.keys.data(job.type, job.id), dataRow.encode({ ...job, text: job.opts.toString() }))
  }

  // To another state, or to the same one again; null: absent. `before` is the priority that was read.
  move(job, to, incarnation, { before = job.opts.priority, text = job.opts.toString() } = {}) {
    const { keys, tn } = this
    const { type, id, state, opts } = job
    const key = keys.data(type, id)
    const stays = state === 'pending' && to === 'pending' && before.equals(opts.priority)
    this.changed = true
    if (state === 'pending' && !stays) tn.clear(keys.pending(type, before, id))
    if (state === 'running') tn.clear(keys.activity(type, job.sequence))
    if (to === 'pending' && !stays) {
      tn.set(keys.pending(type, opts.priority, id), Buffer.alloc(0))
      this.stampWatch(keys.pendingWatch(type), stampAlone())
    }
    if (to === 'running') {
      const userVersion = this.nextUserVersion++
      const entry = keys.activityToStamp(type, incarnation, userVersion)
      tn.atomicOpNative(this.fdb.MutationType.SetVersionstampedKey, entry, id)
      this.stampValue(key, dataRow.toStamp(incarnation, userVersion, job.lock, text))
    } else if (to === null) {
      tn.clear(key)
    } else {
      if (to === 'pending' && (opts.cancel || opts.resubmit)) {
        opts.cancel = opts.resubmit = false
        text = opts.toString()
      }
      tn.set(key, dataRow.encode({ state: to, text }))
    }
    if (state !== null) this.count(type, state, -1)
    if (to !== null) this.count(type, to, 1)
    if (state === 'running' || to === 'running') this.stampWatch(keys.watches(type), watchToStamp(incarnation))
  }

  flush(receipt) {
    for (const [key, delta] of this.deltas) {
      if (delta === 0) continue
      const operand = Buffer.alloc(8)
      operand.writeBigInt64LE(BigInt(delta))
      this.tn.atomicOpNative(this.fdb.MutationType.Add, Buffer.from(key, 'hex'), operand)
    }
    if (this.changed) this.tn.atomicOpNative(this.fdb.MutationType.ByteMax, receipt.key, receipt.value)
  }

  // --- Types

  async timeout(type, milliseconds) {
    const key = this.keys.activityTimeout(type)
    const value = numbers(milliseconds)
    if (equal(await this.tn.get(key), value)) return true
    this.changed = true
    this.tn.set(key, value)
    this.stampWatch(this.keys.typesWatch(), stampAlone())
    return true
  }
  async clearTimeout(type) {
    const key = this.keys.activityTimeout(type)
    if ((await this.tn.get(key)) === undefined) return true
    this.changed = true
    this.tn.clear(key)
    this.stampWatch(this.keys.typesWatch(), stampAlone())
    return true
  }
  async raise() {
    this.tn.set(this.keys.incarnation(), numbers((await this.incarnation()) + 1))
    this.changed = true
    return true
  }

  // --- Users

  async add(type, id, { priority = numbers(0), data = '', ifExists = 'error' } = {}) {
    const [timeout, found] = await Promise.all([this.tn.get(this.keys.activityTimeout(type)), this.read(type, id)])
    if (timeout === undefined) throw new Error('the type has no activity timeout')
    if (found === null) {
      const opts = Object.assign(new JobOpts(), { priority, data, added: Date.now() })
      this.move({ type, id, state: null, opts }, 'pending')
      return 'added'
    }
    if (ifExists !== 'resubmit' || found.state === 'pending' || found.opts.resubmit) return 'exists'
    if (found.state === 'running') {
      this.mark(found, { resubmit: true })
    } else {
      Object.assign(found.opts, { priority, data })
      this.move(found, 'pending')
    }
    return 'resubmitted'
  }
  async cancel(type, id) {
    const job = await this.read(type, id)
    if (job === null) return 'not_found'
    const marked = job.opts.cancel && !job.opts.resubmit
    if (job.state === 'finished' || marked) return 'unchanged'
    if (job.state === 'running') {
      this.mark(job, { cancel: true, resubmit: false })
    } else {
      job.opts.cancel = true
      this.move(job, 'finished')
    }
    return 'changed'
  }
  async resubmit(type, id) {
    const job = await this.read(type, id)
    if (job === null) return 'not_found'
    if (job.state === 'pending' || job.opts.resubmit) return 'unchanged'
    if (job.state === 'finished') this.move(job, 'pending')
    else this.mark(job, { resubmit: true })
    return 'changed'
  }
  async setPriority(type, id, priority) {
    const job = await this.read(type, id)
    if (job === null) return 'not_found'
    const before = job.opts.priority
    if (before.equals(priority)) return 'unchanged'
    if (job.state === 'pending') {
      job.opts.priority = priority
      this.move(job, 'pending', undefined, { before })
    } else {
      this.mark(job, { priority })
    }
    return 'changed'
  }
  async remove(type, id) {
    const [job, incarnation] = await Promise.all([this.read(type, id), this.incarnation()])
    if (job === null) return 'not_found'
    this.move(job, null, incarnation)
    return 'changed'
  }

  // --- Workers

  // Pending jobs from the head of the queue.
  async head(type, limit, maxPriority) {
    const [begin, end] = this.keys.queue(type, maxPriority)
    const rows = await this.tn.snapshot().getRangeAll(begin, end, { limit })
    const candidates = rows.map(([key]) => this.keys.rest('pending', type, key))
    const jobs = await Promise.all(candidates.map(([, id]) => this.read(type, id)))
    return jobs.filter((job, i) => job?.state === 'pending' && job.opts.priority.equals(candidates[i][0]))
  }
  async accept(type, limit, lock, maxPriority = null) {
    const [jobs, incarnation] = await Promise.all([this.head(type, limit, maxPriority), this.incarnation()])
    for (const job of jobs) this.move({ ...job, lock }, 'running', incarnation, { text: job.text })
    return jobs.map(({ id, opts }) => ({ id, priority: opts.priority, data: opts.data }))
  }
  // `work` does a job in the very transaction that finishes it.
  async whole(type, limit, work = () => {}, maxPriority = null) {
    const jobs = await this.head(type, limit, maxPriority)
    for (const job of jobs) {
      work(job)
      this.move(job, 'finished', undefined, { text: job.text })
    }
    return jobs.map(({ id, opts }) => ({ id, priority: opts.priority, data: opts.data }))
  }

  async held(type, id, lock, then) {
    const [job, incarnation] = await Promise.all([this.read(type, id), this.incarnation()])
    if (job?.state !== 'running' || !job.lock.equals(lock)) return 'worker_conflict'
    if (job.opts.cancel) {
      this.move(job, job.opts.resubmit ? 'pending' : 'finished', incarnation)
      return 'canceled'
    }
    then(job, incarnation)
    return 'ok'
  }
  update(type, id, lock, data = null) {
    return this.held(type, id, lock, (job, incarnation) => {
      if (data !== null) job.opts.data = data
      this.move(job, 'running', incarnation)
    })
  }
  finish(type, id, lock, data = null, remove = false) {
    return this.held(type, id, lock, (job, incarnation) => {
      if (data !== null) job.opts.data = data
      this.move(job, job.opts.resubmit ? 'pending' : remove ? null : 'finished', incarnation)
    })
  }
  resubmitByWorker(type, id, lock, priority = null) {
    return this.held(type, id, lock, (job, incarnation) => {
      job.opts.resubmit = true
      if (priority !== null) job.opts.priority = priority
      this.move(job, 'running', incarnation)
    })
  }

  // --- Monitor

  // The watches row: the packed sequence of the last activity, or undefined.
  sample(type) {
    return this.tn.snapshot().get(this.keys.watches(type))
  }
  async rescue(type, notRenewedSince, limit = 1000) {
    const [begin, end] = this.keys.activityUntil(type, notRenewedSince)
    const [rows, incarnation] = await Promise.all([
      this.tn.snapshot().getRangeAll(begin, end, { limit }),
      this.incarnation(),
    ])
    const jobs = await Promise.all(rows.map(([, id]) => this.read(type, id)))
    const result = { reenqueued: 0, finished: 0, dropped: 0 }
    for (const [i, [key]] of rows.entries()) {
      const job = jobs[i]
      const [sequence] = this.keys.rest('activity', type, key)
      if (job?.state !== 'running' || !job.sequence.equals(sequence)) {
        this.changed = true
        this.tn.clear(key)
        result.dropped++
        continue
      }
      const ends = job.opts.cancel && !job.opts.resubmit
      this.move(job, ends ? 'finished' : 'pending', incarnation)
      result[ends ? 'finished' : 'reenqueued']++
    }
    return result
  }

  // --- Looking

  async counts(type) {
    const states = ['pending', 'running', 'finished']
    const values = await Promise.all(states.map(state => this.tn.snapshot().get(this.keys.count(type, state))))
    return Object.fromEntries(states.map((state, i) => [state, Number(values[i]?.readBigInt64LE() ?? 0)]))
  }
  async queue(type) {
    const rows = await this.tn.snapshot().getRangeAll(...this.keys.queue(type))
    return rows.map(([key]) => this.keys.rest('pending', type, key)[1])
  }
}

export class JobsLayer {
  constructor(fdb, db, prefix) {
    this.fdb = fdb
    this.db = db
    this.keys = new Keys(prefix)
    this.receipts = new Receipts()
  }

  // Runs `body` with a Work until it is committed, and exactly once even if a commit's result was unknown.
  async transact(body) {
    const receipt = this.receipts.take(this.keys)
    let tries = 0
    let result
    try {
      return await this.db.doTn(async tn => {
        if (tries++ > 0 && equal(await tn.get(receipt.key), receipt.value)) return result
        const work = new Work(this.fdb, this.keys, tn)
        result = await body(work)
        work.flush(receipt)
        return result
      })
    } finally {
      receipt.done()
    }
  }

  // Claims; if there is nothing, a promise for when something gets pending comes with it.
  acceptOrWatch(type, limit, lock) {
    return this.transact(async work => {
      const jobs = await work.accept(type, limit, lock)
      return { jobs, watch: jobs.length > 0 ? null : work.tn.watch(this.keys.pendingWatch(type)) }
    })
  }
}
