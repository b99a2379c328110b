import { describe, expect, it } from 'vitest';
import type { BulkheadEvent, PackageOptions } from '../../src/index.js';
import { makePlugin, startEngine } from '../engine/plugin-on-disk.js';

const TOOL = `const tool = (id, execute) => ({ id, name: id, description: id, annotations: { readOnlyHint: true }, execute });`;

interface Plugin {
  readonly id: string;
  readonly permissions?: object;
  readonly files: Readonly<Record<string, string>>;
  readonly source: string;
}

interface Ran {
  readonly answers: readonly unknown[];
  readonly denied: readonly string[];
}

/** Calls these tools of the plugin, one after the other. */
async function run(
  plugin: Plugin,
  tools: readonly string[],
  packages: 'separate' | PackageOptions = 'separate',
): Promise<Ran> {
  const denied: string[] = [];
  const onEvent = (event: BulkheadEvent): void => {
    if (event.type !== 'capability-denied') return;
    denied.push(
      `${event.package ?? 'no package'} ${event.permission} ${event.wanted} ${event.at ?? 'no place'}`,
    );
  };
  const engine = await startEngine(
    [makePlugin({ ...plugin, source: `${TOOL}\n${plugin.source}` })],
    {
      effects: 'off',
      env: { API_KEY: 'a-key' },
      packages: { [plugin.id]: packages },
      onEvent,
    },
  );
  const answers: unknown[] = [];
  for (const tool of tools) {
    const { value, content } = await engine.call(`${plugin.id}:${tool}`, {});
    answers.push(value ?? content);
  }
  return { answers, denied };
}

/** Leaves a mark on each global object that it can name, or reads marks there. */
const MARKS = `
const globals = () => [
  globalThis, Function('return this')(), new Function('return globalThis')(), (0, eval)('this'), (0, eval)('globalThis'),
  (function () { return this; })(), Object.getPrototypeOf(globalThis) ?? {},
].filter((one) => one !== undefined && one !== null);
const NAMES = ['mark', 'fetch', 'Buffer', 'Promise', 'Date', 'setTimeout', 'toString'];
exports.leave = () => {
  let left = 0;
  for (const one of globals()) for (const name of NAMES) {
    for (const write of [
      () => { one[name] = 'left by a package'; },
      () => Object.defineProperty(one, name, { value: 'left by a package', configurable: true, writable: true }),
      () => Reflect.set(one, name, 'left by a package'),
      () => new Function('name', "globalThis[name] = 'left by a package'")(name),
      () => { delete one[name]; },
      () => Object.setPrototypeOf(one, { [name]: 'left by a package' }),
    ]) try { write(); left += 1; } catch {}
  }
  return left > 0;
};
exports.find = () => {
  const found = [];
  for (const one of globals()) for (const name of NAMES) if (one[name] === 'left by a package') found.push(name);
  for (const name of NAMES) if (new Function('name', 'return typeof globalThis[name] === "string" && globalThis[name]')(name)) found.push(name);
  return [...found, typeof mark, typeof Promise, typeof Date, typeof setTimeout];
};`;

describe('packages that share a compartment', () => {
  it('leave nothing for each other on a global object', async () => {
    const { answers } = await run(
      {
        id: 'marks',
        files: { 'node_modules/one/index.js': MARKS, 'node_modules/two/index.js': MARKS },
        source: `
import one from 'one'; import two from 'two';
export const tools = [tool('left', () => [one.leave(), two.find()]), tool('own', () => [typeof mark, typeof Promise, typeof globalThis.mark])];`,
      },
      ['left', 'own'],
    );
    expect(answers).toEqual([
      [true, ['undefined', 'function', 'function', 'function']],
      ['undefined', 'function', 'undefined'],
    ]);
  });

  it('have a global object of their own that they can write', async () => {
    const writes = `
exports.dynamic = (name) => { globalThis[name] = 7; return [globalThis[name], name in globalThis, typeof globalThis.Array, Object.keys(globalThis).includes(name)]; };
globalThis.shared = (globalThis.shared ?? 0) + 1;
exports.known = () => [globalThis.shared, shared];
function later() { counter = 5; return counter; }
exports.later = later;
exports.own = (() => { try { globalThis.Map = class Mine {}; return new globalThis.Map() instanceof Map; } catch (error) { return String(error); } })();`;
    const { answers } = await run(
      {
        id: 'writes',
        files: { 'node_modules/one/index.js': writes, 'node_modules/two/index.js': writes },
        source: `
import one from 'one'; import two from 'two';
export const tools = [tool('write', () => [one, two].map((pack) => [pack.dynamic('x'), pack.known(), pack.later(), pack.own]))];`,
      },
      ['write'],
    );
    const one = [[7, true, 'function', true], [1, 1], 5, true];
    expect(answers).toEqual([[one, one]]);
  });

  it.each([
    ['in the compartment that it shares', {}],
    ['in one of its own', { env: ['API_KEY'] }],
  ])('cannot change the clock and the numbers of another one, %s', async (_, ofOwner) => {
    const owner = `
      exports.parts = () => ({ Date, Intl, Math, performance, hrtime: process.hrtime, format: Intl.DateTimeFormat, all: globalThis.Date });
      exports.read = () => [Date.now(), globalThis.Date.now(), Intl.DateTimeFormat('en', { timeZone: 'UTC' }).format(0), Intl.extra, performance.now(), process.hrtime.bigint() === 0n, Math.random() < 1, typeof Math.abs];`;
    const changer = `
      exports.change = (parts) => {
        let changed = 0;
        for (const part of Object.values(parts)) for (const holder of [part, part.prototype].filter((one) => one)) {
          for (const name of ['now', 'random', 'abs', 'format', 'bigint', 'DateTimeFormat', 'extra']) for (const write of [
            () => Object.defineProperty(holder, name, { value: () => 7, configurable: true }),
            () => { if (!Reflect.set(holder, name, () => 7)) throw new Error('refused'); },
          ]) try { write(); changed += 1; } catch {}
        }
        return changed;
      };`;
    const { answers } = await run(
      {
        id: 'clocks',
        permissions: { env: ['API_KEY'] },
        files: {
          'node_modules/owner/index.js': owner,
          'node_modules/changer/index.js': changer,
        },
        source: `
          import { parts, read } from 'owner';
          import { change } from 'changer';
          export const tools = [tool('run', () => { const before = read(); change(parts()); return [before, read()]; })];`,
      },
      ['run'],
      { grant: { 'node_modules/owner': ofOwner } },
    );
    const unchanged = [0, 0, '1/1/1970', null, 0, true, true, 'function'];
    expect(answers).toEqual([[unchanged, unchanged]]);
  });

  it('do not share one with a package that has permissions', async () => {
    const reads = `exports.reads = () => [typeof fetch, process.env.API_KEY ?? null, new Function('return typeof fetch')(), typeof Function('return this')().env];`;
    const { answers, denied } = await run(
      {
        id: 'reads',
        permissions: { env: ['API_KEY'], network: ['a.test'] },
        files: {
          'node_modules/granted/index.js': reads,
          'node_modules/bare/index.js': reads,
          'node_modules/timed/index.js': `exports.now = () => Date.now() > 0; ${reads}`,
        },
        source: `
import granted from 'granted'; import bare from 'bare'; import timed from 'timed';
export const tools = [tool('read', () => [granted.reads(), bare.reads(), timed.reads(), timed.now()])];`,
      },
      ['read'],
      { grant: { 'node_modules/granted': { env: ['API_KEY'], network: true } } },
    );
    const nothing = ['undefined', null, 'undefined', 'object'];
    expect(answers).toEqual([
      [['function', 'a-key', 'function', 'object'], nothing, nothing, false],
    ]);
    expect(denied).toContainEqual(
      expect.stringMatching(/^node_modules\/bare env API_KEY node_modules\/bare\/index.js:1:/),
    );
    expect(denied).toContainEqual(expect.stringMatching(/^node_modules\/timed time Date.now/));
  });

  it('are those with the same permissions, also if lists of them are empty', async () => {
    // Each compartment has its own constructor of functions.
    const { answers } = await run(
      {
        id: 'same',
        permissions: { time: true, env: ['API_KEY'], network: ['a.test'] },
        files: Object.fromEntries(
          ['plain', 'empty', 'named', 'host', 'never'].map((name) => [
            `node_modules/${name}/index.js`,
            'exports.maker = Function;',
          ]),
        ),
        source: `
import plain from 'plain'; import empty from 'empty'; import named from 'named'; import host from 'host'; import never from 'never';
export const tools = [tool('same', () => [empty, named, host, never].map(({ maker }) => maker === plain.maker))];`,
      },
      ['same'],
      {
        grant: {
          'node_modules/plain': { time: true },
          'node_modules/empty': { time: true, random: false, env: [], network: [], storage: false },
          'node_modules/named': { time: true, env: ['API_KEY'] },
          'node_modules/host': { time: true, network: ['a.test'] },
          'node_modules/never': {},
        },
      },
    );
    expect(answers).toEqual([[true, false, false, false]]);
  });

  it('are named by denials of code that they make at run time', async () => {
    const { denied } = await run(
      {
        id: 'makes',
        permissions: { time: true, random: true },
        files: {
          'node_modules/one/index.js': `exports.draw = () => new Function('return Math.random() + Date.now()')();`,
          'node_modules/two/index.js': `exports.draw = () => (0, eval)('Math.random()');`,
        },
        source: `
import one from 'one'; import two from 'two';
export const tools = [tool('draw', () => [one.draw(), two.draw()])];`,
      },
      ['draw'],
    );
    expect(denied).toContainEqual(expect.stringMatching(/^node_modules\/one random /));
    expect(denied).toContainEqual(expect.stringMatching(/^node_modules\/one time /));
  });
});

/** Each attempt gets what a hostile package may get of another one, and returns what it stole. */
const ATTEMPTS = `
const attempts = {
  'the prototype of a class, by an instance': ({ client }) => { Object.getPrototypeOf(client).send = steal; },
  'the prototype of a class, by its constructor': ({ client }) => { client.constructor.prototype.send = steal; },
  'the prototype chain of an instance': ({ client }) => { Object.getPrototypeOf(Object.getPrototypeOf(client)).base = steal; },
  'a defined property of a prototype': ({ client }) => { Object.defineProperty(Object.getPrototypeOf(client), 'send', { get: () => steal }); },
  'a getter with a receiver': ({ client }) => { Object.getPrototypeOf(client).__defineGetter__('send', () => steal); },
  'the prototype of a prototype': ({ client }) => { Object.setPrototypeOf(Object.getPrototypeOf(client), { send: steal }); },
  'a static function': ({ client }) => { client.constructor.open = steal; },
  'the species of a subclass': ({ list }) => { list.constructor[Symbol.species] = class extends Array { constructor(...all) { super(...all); loot.push(all); } }; },
  'the iterator of the language': () => { Array.prototype[Symbol.iterator] = function* () { loot.push(this); }; },
  'the prototype of generators': ({ generator }) => { Object.getPrototypeOf(Object.getPrototypeOf(generator)).next = steal; },
  'the prototype of a generator function': ({ generator }) => { Object.getPrototypeOf(generator).next = steal; },
  'the prototype of async iterators': ({ stream }) => { Object.getPrototypeOf(Object.getPrototypeOf(stream)).next = steal; },
  'the constructor of functions': ({ client }) => { client.send.constructor('return globalThis.fetch')()?.('https://a.test/'); loot.push('made a function'); },
  'the constructor of async functions': ({ later }) => { later.constructor('return fetch')(); loot.push('made an async function'); },
  'the constructor of generator functions': ({ generator }) => { Object.getPrototypeOf(generator).constructor.constructor('yield fetch')().next(); loot.push('made a generator'); },
  'the caller': ({ client }) => { const { caller } = client.send; if (caller) loot.push(caller); },
  'the arguments of a function': ({ client }) => { if (client.send.arguments) loot.push(client.send.arguments); },
  'a callback with this': ({ client }) => { client.each(function () { if (this !== undefined) loot.push(this); }); },
  'a thenable': async ({ client }) => { await client.wait({ then(resolve) { Promise.prototype.then = steal; resolve(1); } }); },
  'stacks': () => { Error.prepareStackTrace = (_, sites) => { loot.push(sites); return ''; }; const { stack } = new Error('x'); if (Array.isArray(stack) || /node_modules|u[0-9a-f]{32}/.test(String(stack))) loot.push(stack); },
  'captured stacks': () => { const holder = {}; Error.captureStackTrace?.(holder); if (/u[0-9a-f]{32}/.test(String(holder.stack))) loot.push(holder.stack); },
  'the module cache': () => { for (const key of Object.keys(require.cache ?? {})) loot.push(require.cache[key]); module.constructor?._load?.('vault') && loot.push('loaded'); },
  'the children of its module': () => { if (module.parent?.exports || module.children?.length) loot.push(module); },
  'a private file of a sibling': async () => { loot.push(await import('vault/private.js')); },
  'a private file by a path': async () => { loot.push(await import('../vault/private.js')); },
  'a private file by a computed path': async () => { loot.push(await import(['..', 'vault', 'private.js'].join('/'))); },
  'a link of the bundle': () => { loot.push($bulkhead.link('node_modules/vault/private.js')); },
  'the offers of the bundle': () => { $bulkhead.offer({ 'node_modules/vault/index.js': () => ({ Client: steal }) }); },
  'the dependencies of the bundle': () => { const found = $bulkhead.dependencies.globalThis.env.get('API_KEY'); if (found !== undefined) loot.push(found); },
  'a getter on an export': ({ client }) => { Object.defineProperty(client.constructor, 'send', { get() { loot.push(this); return steal; } }); },
  'symbols': ({ client }) => { for (const key of Object.getOwnPropertySymbols(client)) loot.push(client[key]); },
  'a proxy as an argument': ({ client }) => { client.options(new Proxy({}, { get: (_, key, receiver) => { if (receiver?.key !== undefined) loot.push(receiver.key); } })); },
  'the prototype of promises': () => { Promise.prototype.then = steal; Object.defineProperty(Promise.prototype, 'then', { value: steal }); },
  'a patched JSON': () => { JSON.stringify = steal; },
  'a patched console': () => { console.log = steal; },
  'a patched timer': () => { globalThis.setTimeout = steal; Object.defineProperty(setTimeout, 'call', { value: steal }); },
  'a patched URL': () => { URL.prototype.toString = steal; Headers.prototype.append = steal; },
  'a patched event emitter': () => { const EventEmitter = require('events'); EventEmitter.prototype.emit = steal; },
  'a patched stand-in of Node': () => { require('http').request = steal; require('fs').readFileSync = steal; require('util').inspect = steal; },
  'a patched Buffer': () => { Buffer.from = steal; Buffer.prototype.toString = steal; },
};`;

describe('a hostile package that gets objects of another package', () => {
  it('gets nothing, and the other one works', async () => {
    const { answers } = await run(
      {
        id: 'objects',
        permissions: { env: ['API_KEY'], network: ['a.test'] },
        files: {
          'node_modules/vault/package.json': '{ "main": "index.js", "exports": "./index.js" }',
          'node_modules/vault/private.js': `exports.secret = 'a secret of the vault';`,
          'node_modules/vault/index.js': `
const { secret } = require('./private.js');
const EventEmitter = require('events');
class Base { base() { return 'base'; } }
class Client extends Base {
  #key = process.env.API_KEY;
  static open() { return new Client(); }
  send(text) { return JSON.stringify([text, this.#key === 'a-key', secret.length]); }
  each(callback) { [1].forEach(callback); }
  async wait(value) { return value; }
  options(given) { return given.timeout; }
}
class List extends Array { double() { return this.map((n) => n * 2); } }
exports.Client = Client; exports.List = List;
exports.numbers = function* () { yield 1; yield 2; };
exports.stream = async function* () { yield 'a'; };
exports.later = async () => 'later';
exports.check = async () => {
  const client = Client.open();
  const parts = [];
  for await (const part of exports.stream()) parts.push(part);
  const emitter = new EventEmitter();
  emitter.on('x', (value) => parts.push(value));
  emitter.emit('x', 'heard');
  return [client.send('x'), client.base(), [...List.from([1, 2]).double()], [...exports.numbers()], parts, await exports.later(), String(new URL('https://a.test/b')), Buffer.from('x').toString('hex')];
};`,
          'node_modules/worm/index.js': `
const loot = [];
const steal = function (...all) { loot.push(['called', ...all]); return 'forged'; };
${ATTEMPTS}
exports.run = async (given) => {
  for (const attempt of Object.values(attempts)) { try { await attempt(given()); } catch {} }
  return Object.keys(attempts).length;
};
exports.loot = () => loot.map((one) => { try { return JSON.stringify(one) ?? String(one); } catch { return 'something'; } });`,
        },
        source: `
import * as vault from 'vault'; import worm from 'worm';
export const tools = [
  tool('check', () => vault.check()),
  tool('attack', () => worm.run(() => ({ client: vault.Client.open(), list: vault.List.from([1]), generator: vault.numbers(), stream: vault.stream(), later: vault.later }))),
  tool('loot', async () => { await new Promise((resolve) => setTimeout(resolve, 20)); return worm.loot(); }),
  tool('own', () => [JSON.stringify([1]), String(new URL('https://a.test/b')), Math.max(1, 2)]),
];`,
      },
      ['check', 'attack', 'check', 'loot', 'own'],
      { grant: { 'node_modules/vault': { env: ['API_KEY'] } } },
    );
    const works = [
      '["x",true,21]',
      'base',
      [2, 4],
      [1, 2],
      ['a', 'heard'],
      'later',
      'https://a.test/b',
      '78',
    ];
    expect(answers).toEqual([works, 40, works, [], ['[1]', 'https://a.test/b', 2]]);
  });
});
