// Answers for a function of a Node package: arguments as a JSON array a line, the answer likewise.
// node node_answers.cjs NODE_MODULES 'require => question => answer'
'use strict'

const { createRequire } = require('node:module')
const path = require('node:path')
const readline = require('node:readline')

const [modules, source] = process.argv.slice(2)
// eslint-disable-next-line no-eval -- the adapters beside this file write it
const asked = (0, eval)(source)(createRequire(path.join(modules, 'here.cjs')))

async function answer (line) {
  try {
    const said = await asked(...JSON.parse(line))
    return said instanceof Uint8Array ? { bytes: Buffer.from(said).toString('hex') } : { answer: said }
  } catch (error) {
    return { thrown: String(error) }
  }
}

async function serve () {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    process.stdout.write(JSON.stringify(await answer(line)) + '\n')
  }
}

serve()
