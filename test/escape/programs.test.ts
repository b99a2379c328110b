import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/index.js';
import { makeDirectory, makePlugin, startEngine } from '../engine/plugin-on-disk.js';

/**
 * Hostile programs. Each returns what it reached, or the error that stopped it. The engine has a tool that
 * programs may call, one that they may not, and one that needs approval and has no approver.
 */
const ATTACKS: Readonly<Record<string, readonly [source: string, outcome: unknown]>> = {
  'reads files by import': [
    `return await import('node:fs').then((fs) => fs.readFileSync('/etc/passwd', 'utf8'))`,
    /FILESYSTEM_DENIED/,
  ],
  'reads files by a computed import': [
    `const name = ['node', 'fs'].join(':'); return await import(name)`,
    /_DENIED|TOOL_FAILED|LOAD_FAILED/,
  ],
  'imports at the top': [`import fs from 'node:fs'; return fs`, /BUNDLE_FAILED/],
  'uses the network': [`return await fetch('http://127.0.0.1/')`, /NETWORK_DENIED/],
  'reads the clock': [`return Date.now()`, /TIME_DENIED/],
  'sets a timer': [`return setTimeout(() => {}, 1)`, /TIME_DENIED/],
  'reads randomness': [`return Math.random()`, /RANDOM_DENIED/],
  'reads variables': [`return Object.keys(process.env)`, []],
  'climbs by constructors': [
    `return (() => {}).constructor.constructor('return typeof process === "object" && process.pid')() ?? 'nothing'`,
    /nothing|TypeError|TOOL_FAILED|false/,
  ],
  'climbs from a promise of the host': [
    `const asked = search('x'); return asked.constructor.constructor('return this')() === globalThis ? 'nothing' : 'another realm'`,
    /nothing|TOOL_FAILED/,
  ],
  'climbs from the error of a tool': [
    `try { await tools.desk.secret({}) } catch (error) {
      return error.constructor === Error && Object.getPrototypeOf(error) === Error.prototype ? 'nothing' : 'another realm' }`,
    'nothing',
  ],
  'changes what another program gets': [
    `try { Array.prototype.map = () => ['changed']; } catch {} try { JSON.parse = 1; } catch {}
     try { tools.desk = 1; } catch {} try { globalThis.tools = 1; } catch {}
     return [1].map((n) => n + 1)`,
    [2],
  ],
  'calls a tool that it was not given': [`return await tools.desk.secret({})`, /TOOL_NOT_FOUND/],
  'names a tool by another spelling': [
    `const got = [];
     for (const [plugin, tool] of [['desk', 'secret '], ['desk', '__proto__'], ['__proto__', 'secret'], ['', 'desk:secret'], ['desk:secret', ''], ['constructor', 'call']]) {
       try { got.push(await tools[plugin][tool]({})) } catch ({ code }) { got.push(code) } }
     return [...new Set(got)]`,
    ['TOOL_NOT_FOUND'],
  ],
  'runs a program': [
    `return await tools.host.run_program({ source: 'return 1' })`,
    /TOOL_NOT_FOUND/,
  ],
  'calls a tool without its approval': [
    `return await tools.desk.send({ to: 'boss' })`,
    /needs approval/,
  ],
  'sends an approval of its own with the input': [
    `return await tools.desk.send({ to: 'boss', approval: 'apr_1', approve: () => ({ verdict: 'once' }) })`,
    /needs approval|not plain data|cannot be copied|function/,
  ],
  'changes the input after it was sent': [
    `const input = { n: 1 }; const asked = tools.desk.echo(input); input.n = 2; return await asked`,
    { n: 1 },
  ],
  'sends an input that lies': [
    `let reads = 0; return await tools.desk.echo({ get n() { return (reads += 1) } })`,
    { n: 1 },
  ],
  'closes its own function and goes on': [
    `return 'first' }; export const more = async () => { return globalThis.process`,
    /first|BUNDLE_FAILED/,
  ],
  'replaces its own wrapper': [
    `}; export { default as x } from 'node:child_process'; const y = async () => {`,
    /BUNDLE_FAILED|LOAD_FAILED|BUILTIN_DENIED|null/,
  ],
};

describe('a hostile program', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startEngine(
      [
        makePlugin({
          id: 'desk',
          source: `export const tools = ['echo', 'secret', 'send'].map((id) => ({
            id, name: id, description: 'd', annotations: { readOnlyHint: id !== 'send' },
            execute: (input) => id === 'secret' ? 'hunter2' : id === 'send' ? 'SENT' : input }));`,
        }),
      ],
      {
        tolerance: 'default',
        programs: true,
        env: { SECRET: 'hunter2' },
        storageDirectory: makeDirectory(),
        enclaveKeyFile: join(makeDirectory(), 'enclave.key'),
      },
    );
  });

  it.each(Object.entries(ATTACKS))('%s, in vain', async (_name, [source, outcome]) => {
    const got = await engine
      .runProgram(source, {
        tools: ['desk:echo', 'desk:send'],
        unattended: false,
        context: { isInteractive: false },
      })
      .then(
        ({ value, code, message }) => (code === undefined ? value : `${code} ${message}`),
        (error: { code: string; message: string }) => `${error.code} ${error.message}`,
      );
    expect(JSON.stringify(got)).not.toMatch(/hunter2|SENT|root:/);
    if (outcome instanceof RegExp) expect(JSON.stringify(got)).toMatch(outcome);
    else expect(got).toEqual(outcome);
  });

  it('leaves the host and the next program as before', async () => {
    const { value } = await engine.runProgram(`return await tools.desk.echo({ n: 3 })`);
    expect(value).toEqual({ n: 3 });
  });
});
