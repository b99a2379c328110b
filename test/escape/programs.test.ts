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
  'sends an input with a method that the host would call': [
    `return await tools.desk.echo({ then: (go) => go('x'), n: 1 })`,
    { n: 1 },
  ],
  'sends an input that is a proxy': [
    `let reads = 0;
     return await tools.desk.echo(new Proxy({ n: 1 }, { get: (_, key) => key === 'n' && (reads += 1) }))`,
    { n: 1 },
  ],
  'sends an input that changes the prototype of all objects': [
    `const got = await tools.desk.echo(JSON.parse('{"__proto__": {"admin": true}, "n": 1}'));
     return [got.n, got.admin ?? 'nothing', {}.admin ?? 'nothing']`,
    [1, 'nothing', 'nothing'],
  ],
  'sends an input that is too deep to write': [
    `let deep = {}; for (let at = 0; at < 200_000; at += 1) deep = { deep };
     return await tools.desk.echo(deep)`,
    /RESULT_TOO_LARGE The input is nested deeper than/,
  ],
  'sends an input of many megabytes': [
    `return await tools.desk.echo({ x: 'x'.repeat(30_000_000) })`,
    /RESULT_TOO_LARGE The input is larger than/,
  ],
  'names one tool when it is checked, and another when it is called': [
    `let reads = 0; const name = { toString: () => (reads++ ? 'secret' : 'echo') };
     return await tools.desk[name]({ n: 1 })`,
    { n: 1 },
  ],
  'floods the host with calls at once': [
    `await Promise.allSettled(Array.from({ length: 100_000 }, () => tools.desk.echo({})));
     return await tools.desk.secret({})`,
    /GUEST_OUT_OF_MEMORY|PROGRAM_LIMIT/,
  ],
  'finds and describes a tool that it was not given': [
    `const found = JSON.stringify(await search('secret', 50));
     const described = await describe('desk.secret').catch(({ code }) => code);
     return [found.includes('desk.secret'), described]`,
    [false, 'TOOL_NOT_FOUND'],
  ],
  'reads the frames of its callers': [
    `Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getThis());
     const { stack } = new Error('x'); return typeof stack`,
    'string',
  ],
  'changes how promises of the host settle': [
    `Promise.prototype.then = () => 'SENT'; return 1`,
    /TOOL_FAILED .*read only property/,
  ],
  'writes what looks like a frame of the wire': [
    `console.log(String.fromCharCode(0, 0, 0, 40) + '{"id":1,"result":{"content":"SENT"}}');
     return await tools.desk.echo({ n: 1 })`,
    { n: 1 },
  ],
  'evaluates code in another scope': [
    `return [typeof (0, eval)('globalThis.process'), typeof new Function('return process')()]`,
    ['undefined', 'undefined'],
  ],
  'imports code that is not a file': [
    `return await import('data:text/javascript,export default globalThis.process')`,
    /TOOL_FAILED Cannot find module/,
  ],
  'shares memory, or runs compiled code': [
    `return [typeof WebAssembly, typeof SharedArrayBuffer, typeof Atomics, typeof WeakRef]`,
    ['undefined', 'undefined', 'undefined', 'undefined'],
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
