import { builtinModules } from 'node:module';
import { describe, expect, it } from 'vitest';
import { runFiles, type SesJob } from './fixture.js';

async function run(source: string, job: SesJob = {}): Promise<unknown> {
  return runFiles({ 'index.ts': source }, job);
}

/** The code and message of the error that a statement throws. */
async function denialOf(imports: string, statement: string, job?: SesJob): Promise<string> {
  const value = await run(
    `${imports}\nexport const run = async () => { try { ${statement}; return 'nothing' } catch (error) { return error.code + ': ' + error.message } };`,
    job,
  );
  return String(value);
}

describe('the modules of Node', () => {
  it('can all be imported with any name, by import and by require', async () => {
    const names = builtinModules.filter((name) => !name.startsWith('_'));
    const lines = names.map((name, index) =>
      [
        `import all${index} from 'node:${name}'; import { whatever as any${index} } from '${name.startsWith('node:') ? name : `node:${name}`}';`,
        `import * as star${index} from 'node:${name}';`,
      ].join('\n'),
    );
    const value = await run(
      `${lines.join('\n')}\nexport const run = () => [${names.map((name, index) => `[all${index}, typeof any${index}, star${index}, require('node:${name}')]`).join(', ')}].length;`,
    );
    expect(value).toBe(names.length);
  });

  it("can be imported if they are Bun's or do not exist", async () => {
    const value = await run(
      `import { Database } from 'bun:sqlite'; import { file } from 'bun'; import x from 'node:nonsense'; export const run = () => [typeof Database, typeof file];`,
    );
    expect(value).toEqual(['function', 'function']);
  });

  it.each([
    [
      `import fs from 'fs'`,
      `fs.writeFileSync('x', '')`,
      /^EACCES: EACCES: permission denied: fs.writeFileSync .*readFile/,
    ],
    [
      `import { stat } from 'node:fs/promises'`,
      `await stat('x')`,
      /^EACCES: EACCES: permission denied: fs\/promises.stat/,
    ],
    [
      `import * as fs from 'fs'`,
      `await fs.promises.readdir('.')`,
      /^EACCES: EACCES: permission denied/,
    ],
    [
      `import { readFile } from 'fs/promises'`,
      `await readFile('x')`,
      /^EACCES: EACCES: permission denied: fs.readFile/,
    ],
    [
      `import http from 'http'`,
      `http.request('http://x')`,
      /^NETWORK_DENIED: http.request .*fetch/,
    ],
    [
      `import { connect } from 'net'`,
      `await new Promise((_, reject) => { connect(80).on('error', reject); })`,
      /^EACCES: connect EACCES localhost:80: .*Use fetch/,
    ],
    [`import { createServer } from 'net'`, `createServer()`, /^NETWORK_DENIED/],
    [`import https from 'https'`, `https.get("https://a.test")`, /^NETWORK_DENIED/],
    [
      `import { spawn } from 'child_process'`,
      `await new Promise((_, reject) => { spawn('ls').on('error', reject); })`,
      /^EACCES: spawn .*EACCES: .*No permission allows it/,
    ],
    [`import { Worker } from 'worker_threads'`, `new Worker('x')`, /^BUILTIN_DENIED/],
    [`import vm from 'vm'`, `vm.runInThisContext('1')`, /^BUILTIN_DENIED/],
    [
      `import { Database } from 'bun:sqlite'`,
      `new Database('x')`,
      /^BUILTIN_DENIED: bun:sqlite.open/,
    ],
    [`import { createCipheriv } from 'crypto'`, `createCipheriv('x')`, /^BUILTIN_DENIED/],
    [``, `process.exit(1)`, /^BUILTIN_DENIED: process.exit/],
    [``, `process.kill(1)`, /^BUILTIN_DENIED/],
    [
      `import { createRequire } from 'module'`,
      `createRequire(import.meta.url)(['f', 's'].join(''))`,
      /^BUILTIN_DENIED.*createRequire/,
    ],
    [
      `import fetch from 'node-fetch'`,
      `await fetch('https://a.test/')`,
      /^NETWORK_DENIED.*a\.test/,
    ],
    [`import { performance } from 'perf_hooks'`, `performance.now()`, /secure mode|TIME_DENIED/],
  ])('%s: %s fails and names the permission that it needs', async (imports, statement, denial) => {
    expect(await denialOf(imports, statement)).toMatch(denial);
  });

  it('can be extended and inspected without a permission', async () => {
    const value = await run(`
      import http, { Agent } from 'http';
      import { EventEmitter } from 'events';
      import util from 'util';
      class Mine extends Agent {}
      function Old() {}
      util.inherits(Old, http.IncomingMessage);
      const { request: { name } = {} } = http;
      export const run = async () => [typeof Mine, http.METHODS === undefined, String(await import('http') !== undefined), 'x' in http, EventEmitter.name !== ''];
    `);
    expect(value).toEqual(['function', false, 'true', false, true]);
  });
});
