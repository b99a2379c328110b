import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BulkheadEvent, Engine, PackageOptions } from '../../src/index.js';
import { ROOT } from '../architecture/sources.js';
import { openEngine } from './attempt.js';

const WORMS = [
  'reads-variables',
  'calls-home',
  'patches-language',
  'patches-sibling',
  'waits-for-token',
  'climbs-out',
];

const SOURCE = `
import * as left from 'left-pad';
import signer, { Signer } from 'signer';
${WORMS.map((name, index) => `import * as worm${index} from '${name}';`).join('\n')}
globalThis.secretOfThePlugin = 'a secret';
const worms = { ${WORMS.map((name, index) => `'${name}': worm${index}`).join(', ')} };
const tool = (id, execute) => ({ id, title: id, description: id, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true }, execute });
export const tools = [
  tool('works', async ({ text }) => {
    const padded = Object.values(worms).map(({ pad }) => pad(text, 8));
    const instance = new Signer('key');
    return {
      padded: [...new Set(padded)],
      own: left.pad(text, 8),
      signed: instance.sign(text),
      detached: (0, instance.sign)(text),
      format: signer.format(text),
      legacy: new signer.Legacy().kind,
      parsed: JSON.parse('{"a":[1]}').a.map((n) => n + 1),
      key: env.get('API_KEY'),
      fetches: typeof fetch,
    };
  }),
  tool('loot', async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return Object.entries(worms).map(([name, { loot, sent }]) => [name, [...loot, ...(sent?.() ?? [])]]);
  }),
  tool('reconfigures', async () => {
    signer.useFormat((text) => '[' + text + ']');
    const byPackage = signer.format('x');
    signer.format = (text) => '{' + text + '}';
    return [byPackage, signer.format('x')];
  }),
];
export default { resolveTools: () => tools, tools };
`;

/** Packages of every kind, each with its way of importing another. */
const KINDS: Readonly<Record<string, string>> = {
  'src/index.js': `
import live, { count, increment, Base } from 'live';
import * as all from 'live';
import data from 'data/values.json';
import { sub } from 'maps/feature';
import transpiled, { named } from 'transpiled';
import versions from 'new-user';
import old from 'dual';
import { even } from 'cycle-a';
import { outer } from 'barrel';
import scoped from '@scope/tool';
import fn from 'callable';
import { slow } from 'slow';
import { bump, log } from 'many/a.js';
import { total } from 'many/b.js';
import * as many from 'many';
import { world, strict, closed } from 'worldly';
import { world as marked } from 'marking';
import { defaults } from './as-node.mjs';
class Mine extends Base { name() { return 'mine ' + super.name(); } }
const tool = (id, execute) => ({ id, title: id, description: id, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true }, execute });
export const tools = [tool('answers', async () => {
  const before = [count, all.count];
  increment();
  const counted = [total, [...log]];
  bump();
  counted.push(total, many.total, (await import('many/late.js')).late, log);
  const lazy = await import('lazy');
  return {
    before, after: [count, all.count], live, names: Object.keys(all).sort(),
    mine: new Mine().name(), data, sub, transpiled, named, versions, old, even: even(7), outer, scoped,
    fn: [fn(2), fn.twice(2), fn.length], lazy: lazy.default, slow: await slow(), buffer: Buffer.from('x').toString('hex') + lazy.hex,
    counted, defaults, same: Base === all.Base && fn === fn.self,
    worlds: [world.isFinite(1), marked.isFinite(1), marked.mark], strict: [strict.f(), typeof closed],
  };
})];
`,
  'src/as-node.mjs': `
import live from 'live'; import transpiled from 'transpiled'; import fn from 'callable'; import mini from 'minified';
export const defaults = [live, Object.keys(transpiled), fn(1), mini(1)];`,
  'node_modules/minified/package.json': '{ "module": "min.js" }',
  'node_modules/minified/min.js': `var a=n=>n+2;export{a as default};`,
  'node_modules/live/package.json': '{ "type": "module", "exports": "./main.js" }',
  'node_modules/live/main.js': `
export let count = 0; export const increment = () => { count += 1; };
export class Base { name() { return 'base'; } } export default 'default of live';`,
  'node_modules/data/values.json': '{ "list": [1, 2] }',
  'node_modules/data/package.json': '{}',
  'node_modules/maps/package.json':
    '{ "exports": { "./feature": { "import": "./f.mjs", "require": "./f.cjs" } } }',
  'node_modules/maps/f.mjs': `export const sub = 'by import';`,
  'node_modules/maps/f.cjs': `exports.sub = 'by require';`,
  'node_modules/transpiled/index.js': `Object.defineProperty(exports, '__esModule', { value: true });
exports.default = 'its default'; exports.named = 'its name';`,
  'node_modules/new-user/package.json': '{ "dependencies": { "dual": "2" } }',
  'node_modules/new-user/index.js': `module.exports = require('dual');`,
  'node_modules/new-user/node_modules/dual/index.js': `module.exports = 'version 2';`,
  'node_modules/dual/index.js': `module.exports = 'version 1';`,
  'node_modules/cycle-a/package.json': '{ "dependencies": { "cycle-b": "1" } }',
  'node_modules/cycle-a/index.js': `exports.even = (n) => n === 0 || require('cycle-b').odd(n - 1);
const b = require('cycle-b'); exports.fromB = b.name;`,
  'node_modules/cycle-b/package.json': '{ "type": "module", "dependencies": { "cycle-a": "1" } }',
  'node_modules/cycle-b/index.js': `import { even } from 'cycle-a'; export const name = 'b'; export function odd(n) { return n !== 0 && even(n - 1); }`,
  'node_modules/barrel/package.json': '{ "type": "module", "dependencies": { "inner": "1" } }',
  'node_modules/barrel/index.js': `export * from 'inner'; export { inner as outer } from 'inner';`,
  'node_modules/inner/package.json': '{ "type": "module" }',
  'node_modules/inner/index.js': `export const inner = 'through a barrel';`,
  'node_modules/@scope/tool/index.js': `module.exports = { 'a key': 'scoped' };`,
  'node_modules/callable/index.js': `module.exports = (n) => n + 1; module.exports.twice = (n) => n * 2; module.exports.self = module.exports;`,
  // Awaits at its top level, as does the package that it imports.
  'node_modules/slow/package.json':
    '{ "type": "module", "exports": "./main.js", "dependencies": { "slower": "1" } }',
  'node_modules/slow/main.js': `import { value } from 'slower'; import old from 'slower/old.cjs';
const twice = await Promise.resolve(value * 2); export const slow = async () => [value, twice, old];`,
  'node_modules/slower/package.json': '{ "type": "module" }',
  'node_modules/slower/index.js': `export let value = 1; value = await Promise.resolve(21);`,
  'node_modules/slower/old.cjs': `module.exports = 'also CommonJS';`,
  // Several of its files are imported, one of them late.
  'node_modules/many/package.json':
    '{ "type": "module", "exports": { ".": "./index.js", "./*": "./*" }, "sideEffects": false }',
  'node_modules/many/index.js': `export * from './a.js'; export * from './b.js';`,
  'node_modules/many/a.js': `import { add, log } from './b.js'; export const bump = () => add(2); export { log };`,
  'node_modules/many/b.js': `export const log = []; export let total = 1; export const add = (n) => { total += n; };`,
  'node_modules/many/late.js': `import { log } from './b.js'; log.push('late'); export const late = 'late file';`,
  // They export the global object, and proxies that refuse to be searched or changed.
  'node_modules/worldly/index.js': `exports.world = globalThis; exports.strict = new Proxy({ f: () => 'strict' }, { defineProperty: () => false });
exports.closed = new Proxy({}, { ownKeys: () => { throw new Error('closed'); }, getPrototypeOf: () => { throw new Error('closed'); } });`,
  'node_modules/marking/index.js': `globalThis.mark = 'marked'; exports.world = globalThis;`,
  'node_modules/lazy/index.js': `module.exports = { default: 'lazily', hex: Buffer.from('y').toString('hex') };`,
};

const SOURCES: Readonly<Record<string, string>> = {
  'src/index.js': SOURCE,
  'notes.txt': 'a note',
};

function makePlugin(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-packages-'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  write('package.json', '{ "type": "module" }');
  write(
    'pandora.manifest.json',
    JSON.stringify({
      manifestVersion: 1,
      id: 'poisoned',
      name: 'Poisoned',
      description: 'Uses packages of hostile authors',
      version: '1.0.0',
      pandora: '>=0.1.0',
      provides: {
        tools: {
          entry: './src/index.js',
          permissions: { network: ['api.example.com'], env: ['API_KEY'], fs: ['notes.txt'] },
        },
      },
    }),
  );
  for (const name of [...WORMS, 'left-pad', 'signer']) {
    cpSync(join(ROOT, 'fixtures/hostile/packages', name), join(directory, 'node_modules', name), {
      recursive: true,
    });
  }
  return directory;
}

interface Opened {
  readonly engine: Engine;
  readonly events: readonly BulkheadEvent[];
}

describe('packages of hostile authors in a plugin with a key and a host', () => {
  const engines: Engine[] = [];
  let directory = '';
  let separate: Opened;
  beforeAll(async () => {
    directory = makePlugin(SOURCES);
    separate = await open('separate');
  });
  afterAll(async () => {
    for (const engine of engines) await engine.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const open = async (packages: 'separate' | 'together' | PackageOptions): Promise<Opened> => {
    const events: BulkheadEvent[] = [];
    const engine = await openEngine({
      plugins: [directory],
      grant: 'declared',
      env: { API_KEY: 'key-of-the-plugin' },
      packages: { poisoned: packages },
      onEvent: (event) => events.push(event),
    });
    engines.push(engine);
    return { engine, events };
  };
  const call = async (engine: Engine, tool: string, input = {}): Promise<unknown> => {
    const { value, content } = await engine.call(`poisoned:${tool}`, input);
    return value ?? content;
  };

  it('the functions of the plugin and its packages work', async () => {
    const { engine } = separate;
    expect(await call(engine, 'works', { text: 'sk-live-1' })).toEqual({
      padded: ['sk-live-1'],
      own: 'sk-live-1',
      signed: 'sk-live-1 signed with key',
      detached: 'sk-live-1 signed with key',
      format: '<sk-live-1>',
      legacy: 'honest',
      parsed: [2],
      key: 'key-of-the-plugin',
      fetches: 'function',
    });
  });

  it('the packages get nothing', async () => {
    const { engine } = separate;
    expect(await call(engine, 'loot')).toEqual(WORMS.map((name) => [name, []]));
  });

  it('each denial names the package, with file and line', async () => {
    const { events } = separate;
    const denied = events.flatMap((event) =>
      event.type === 'capability-denied'
        ? [
            `${event.package ?? 'no package'} ${event.permission} ${event.wanted} ${event.at?.replace(/:\d+$/, '') ?? 'no place'}`,
          ]
        : [],
    );
    expect(denied).toContain(
      'node_modules/reads-variables env API_KEY node_modules/reads-variables/index.js:5',
    );
    expect(denied).toContain(
      'node_modules/calls-home network fetch https://api.example.com/collect?at load node_modules/calls-home/index.js:13',
    );
    expect(denied).toContain(
      'node_modules/patches-sibling builtin replace format of node_modules/signer node_modules/patches-sibling/index.js:10',
    );
    expect(denied).toContain(
      'node_modules/climbs-out builtin import node_modules/signer node_modules/climbs-out/index.js:16',
    );
    expect(
      denied.filter((one) => one.startsWith('no package') || one.includes('no place')),
    ).toEqual([]);
  });

  it('the package itself and the plugin replace its functions', async () => {
    const { engine } = separate;
    expect(await call(engine, 'reconfigures')).toEqual(['[x]', '{x}']);
  });

  it('a package gets what the option grants it, within the grant of the plugin', async () => {
    const { engine } = await open({
      grant: { 'node_modules/reads-variables': { env: ['API_KEY', 'HOME'] } },
    });
    const key = 'key-of-the-plugin';
    expect(await call(engine, 'loot')).toEqual(
      WORMS.map((name) => [name, name === 'reads-variables' ? [key, key, 'API_KEY', key] : []]),
    );
  });

  it('in one bundle the same packages have the grant of the plugin', async () => {
    const { engine } = await open('together');
    const loot = await call(engine, 'loot');
    expect(loot).not.toEqual(WORMS.map((name) => [name, []]));
  });
});

it('packages of each kind give the same answers as in one bundle', async () => {
  const directory = makePlugin(KINDS);
  const answers = [];
  for (const packages of ['separate', 'together'] as const) {
    await using engine = await openEngine({
      plugins: [directory],
      grant: 'nothing',
      packages: { poisoned: packages },
    });
    const { value, content } = await engine.call('poisoned:answers', {});
    answers.push(value ?? content);
  }
  rmSync(directory, { recursive: true, force: true });
  expect(answers[0]).toMatchObject({
    before: [0, 0],
    after: [1, 1],
    mine: 'mine base',
    versions: 'version 2',
    old: 'version 1',
    even: false,
    outer: 'through a barrel',
    same: true,
    worlds: [true, true, 'marked'],
    strict: ['strict', 'object'],
    slow: [21, 42, 'also CommonJS'],
    counted: [1, [], 3, 3, 'late file', ['late']],
  });
  expect(answers[0]).toEqual(answers[1]);
});

it('packages share one Buffer, which none of them can change', async () => {
  const directory = makePlugin({
    'src/index.js': `
import { bytes, modules } from 'bytes';
import { tried } from 'patcher';
const tool = (id, execute) => ({ id, title: id, description: id, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true }, execute });
export const tools = [tool('answers', async () => {
  const own = bytes('x');
  own.toString = () => 'of one object';
  return {
    tried, modules: await modules(), hex: bytes('xy').toString('hex'), same: bytes('x') instanceof Buffer, own: String(own),
    marks: [Buffer.mark, Buffer.from('x').mark, Object.getPrototypeOf(Buffer).mark],
  };
})];`,
    // The stand-ins of these modules import parts of the stand-in for buffer.
    'node_modules/bytes/index.js': `
const { Readable } = require('stream');
const { StringDecoder } = require('string_decoder');
const { createHash } = require('crypto');
exports.bytes = (text) => Buffer.from(text);
exports.modules = async () => {
  const parts = [];
  for await (const part of Readable.from([Buffer.from('a'), Buffer.from('b')])) parts.push(part);
  return [Buffer.concat(parts).toString(), new StringDecoder('utf8').write(Buffer.from('c')), typeof createHash];
};`,
    'node_modules/patcher/index.js': `
const attempts = [
  () => { Buffer.from = () => 'stolen'; },
  () => { Buffer.prototype.toString = () => 'stolen'; },
  () => { Object.defineProperty(Buffer, 'from', { value: () => 'stolen' }); },
  () => { Buffer.mark = 1; },
  () => { Buffer.prototype.mark = 1; },
  () => { require('buffer').Buffer.alloc = () => 'stolen'; },
  () => { Object.getPrototypeOf(Buffer).mark = 1; },
];
exports.tried = attempts.length;
for (const attempt of attempts) try { attempt(); } catch {}`,
  });
  await using engine = await openEngine({
    plugins: [directory],
    grant: 'nothing',
    packages: { poisoned: 'separate' },
  });
  expect((await engine.call('poisoned:answers', {})).value).toEqual({
    tried: 7,
    modules: ['ab', 'c', 'function'],
    hex: '7879',
    same: true,
    own: 'of one object',
    marks: [null, null, null],
  });
  rmSync(directory, { recursive: true, force: true });
});

describe('modules of Node that packages share', () => {
  const MODULES = ['events', 'path', 'punycode', 'stream', 'string_decoder'];
  const files = {
    'node_modules/patcher/index.js': `
const Stream = require('stream');
const { EventEmitter } = require('events');
const path = require('path');
const stolen = () => 'stolen';
const attempts = [
  () => { EventEmitter.prototype.emit = stolen; },
  () => { EventEmitter.prototype.mark = 'left'; },
  () => { EventEmitter.mark = 'left'; },
  () => { EventEmitter.init = stolen; },
  () => { EventEmitter.defaultMaxListeners = 3; },
  () => { Object.defineProperty(EventEmitter, 'once', { value: stolen }); },
  () => { Object.setPrototypeOf(EventEmitter.prototype, { mark: 'left' }); },
  () => { Object.getPrototypeOf(EventEmitter).mark = 'left'; },
  () => { Stream.Readable.prototype.push = stolen; },
  () => { Stream.Transform.prototype.mark = 'left'; },
  () => { Stream.Readable = stolen; },
  () => { Stream.promises.pipeline = stolen; },
  () => { delete Stream.prototype.pipe; },
  () => { Stream.setDefaultHighWaterMark(false, 1); },
  () => { path.join = stolen; },
  () => { path.posix.mark = 'left'; },
  () => { path.join.mark = 'left'; },
  () => { require('string_decoder').StringDecoder.prototype.write = stolen; },
  () => { require('punycode').toASCII = stolen; },
  () => { require('punycode').mark = 'left'; },
];
exports.patch = () => { for (const attempt of attempts) try { attempt(); } catch {} return attempts.length; };`,
    'node_modules/walker/index.js': `
const open = [];
const seen = new Set();
const visit = (value, at) => {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
  seen.add(value);
  if (!Object.isFrozen(value)) open.push(at);
  for (const key of Reflect.ownKeys(value)) {
    const { get, set, value: inner } = Reflect.getOwnPropertyDescriptor(value, key);
    for (const part of [get, set, inner]) visit(part, at + '.' + String(key));
    try { visit(value[key], at + '.' + String(key)); } catch {}
  }
  visit(Reflect.getPrototypeOf(value), at + '.__proto__');
};
${MODULES.map((name) => `visit(require('${name}'), '${name}');`).join('\n')}
visit(require('buffer').Buffer, 'Buffer');
exports.walked = { open, many: seen.size > 500 };`,
    'node_modules/streamer/index.js': `
const Stream = require('stream');
const path = require('path');
const { inherits, inspect } = require('util');
function Old(options) { Stream.Transform.call(this, options); }
inherits(Old, Stream.Transform);
Old.prototype._transform = function (chunk, encoding, done) { this.push(String(chunk).toUpperCase()); done(); };
exports.run = async () => {
  const old = new Old();
  old.emit = old.emit.bind(old);
  const parts = [];
  for await (const part of Stream.Readable.from(['a', 'b']).pipe(old)) parts.push(String(part));
  return [parts.join(''), path.join('a', '..', 'b'), inspect({ a: [1] }), Stream.getDefaultHighWaterMark(false) > 1];
};
exports.make = () => new Old();`,
    'node_modules/emitter/index.js': `
const EventEmitter = require('events');
const { Readable } = require('stream');
class Mine extends EventEmitter { constructor() { super(); this.on('x', () => { this.heard = 'x'; }); } }
// As express makes its applications: with the members of a class, and without its prototype.
const mixin = (target, source) => {
  for (const name of Object.getOwnPropertyNames(source)) {
    if (!Object.hasOwn(target, name)) Object.defineProperty(target, name, Object.getOwnPropertyDescriptor(source, name));
  }
  return target;
};
exports.run = () => {
  const mine = new Mine();
  mine.emit('x');
  const heard = [];
  const [one, two] = [mixin(() => {}, EventEmitter.prototype), mixin({}, EventEmitter.prototype)];
  for (const [name, app] of Object.entries({ one, two })) app.on('y', (text) => heard.push(name + text));
  one.emit('y', '!');
  const { emit } = two;
  two.emit = function (name, ...args) { return emit.call(this, name, ...args, 'own'); };
  two.emit('y', '?');
  return [mine.heard, mine.mark, heard, EventEmitter.defaultMaxListeners, typeof one.listeners];
};
exports.isStream = (value) => [value instanceof Readable, value instanceof EventEmitter];`,
  };
  const source = `
import { patch } from 'patcher';
import { walked } from 'walker';
import * as streamer from 'streamer';
import * as emitter from 'emitter';
import Stream from 'node:stream';
const tool = (id, execute) => ({ id, title: id, description: id, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true }, execute });
export const tools = [
  tool('patch', () => patch()),
  tool('walk', () => walked),
  tool('run', async () => [await streamer.run(), emitter.run()]),
  tool('kinds', () => [...emitter.isStream(streamer.make()), streamer.make() instanceof Stream]),
];`;

  it('are the same for all of them, and none can change what another one gets', async () => {
    const directory = makePlugin({ 'src/index.js': source, ...files });
    const replaced: string[] = [];
    await using engine = await openEngine({
      plugins: [directory],
      grant: 'nothing',
      packages: { poisoned: 'separate' },
      onEvent: (event) => {
        if (event.type === 'capability-denied') replaced.push(`${event.package} ${event.wanted}`);
      },
    });
    const call = async (tool: string): Promise<unknown> =>
      (await engine.call(`poisoned:${tool}`, {})).value;
    const before = await call('run');
    expect(before).toEqual([
      ['AB', 'b', '{ a: [ 1 ] }', true],
      ['x', null, ['one!', 'two?'], 10, 'function'],
    ]);
    expect(await call('patch')).toBe(20);
    expect(await call('run')).toEqual(before);
    expect(await call('walk')).toEqual({ open: [], many: true });
    expect(await call('kinds')).toEqual([true, true, true]);
    expect(replaced).toContain("node_modules/patcher replace emit of Node's modules");
    expect(replaced).toContain('node_modules/patcher stream.setDefaultHighWaterMark');
    rmSync(directory, { recursive: true, force: true });
  });
});
