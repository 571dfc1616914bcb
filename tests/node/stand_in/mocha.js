// Stands in for mocha, as far as the suite of the npm package `foundationdb` uses it. That suite says
// `require('mocha')` and expects describe, it and the hooks as globals. package_suite.mjs runs what they declare.
//
// Cases that the package itself skips, or left without a body, are not declared.

const scopes = [{ title: '', beforeEach: [], afterEach: [] }]

// In order of declaration.
const cases = []
const afterAll = []

function describe(title, body) {
  const { title: outer, beforeEach, afterEach } = scopes.at(-1)
  scopes.push({ title: `${outer}${title}: `, beforeEach: [...beforeEach], afterEach: [...afterEach] })
  body()
  scopes.pop()
}

function it(title, body) {
  if (body) cases.push({ ...scopes.at(-1), title: scopes.at(-1).title + title, body })
}
it.skip = () => {}

Object.assign(globalThis, {
  describe,
  it,
  beforeEach: hook => scopes.at(-1).beforeEach.push(hook),
  afterEach: hook => scopes.at(-1).afterEach.push(hook),
  after: hook => afterAll.push(hook),
})

module.exports = { cases, afterAll }
