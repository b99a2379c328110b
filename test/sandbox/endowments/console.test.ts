import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();

async function logs(code: string, limits = {}): Promise<readonly string[]> {
  const { logs: lines, failure } = await realm.run(code, { limits });
  expect(failure).toBeUndefined();
  return lines;
}

describe('console', () => {
  test('each method logs at its level', async () => {
    expect(
      await logs(
        `console.log('l'); console.debug('d'); console.trace('t'); console.info('i'); console.warn('w'); console.error('e'); console.assert(false, 'a'); console.assert(true, 'no')`,
      ),
    ).toEqual([
      'debug: l',
      'debug: d',
      'debug: t',
      'info: i',
      'warn: w',
      'error: e',
      'error: Assertion failed a',
    ]);
  });

  test('values look as in Node’s inspector', async () => {
    expect(
      await logs(
        `class Foo { constructor() { this.a = 1 } }
       console.log('text', 1, -0, null, undefined, true, 10n, Symbol('s'));
       console.log({ a: 'x', 'b c': [1, [2, [3, [4]]]], f() {}, g: class Bar {} });
       console.log(new Foo(), Object.create(null), [,1], new Map([['k', { v: 1 }]]), new Set([1]));
       console.log(new Date(0), /x/g, new TypeError('bad'), Object.assign(new Error('x', { cause: 'c' }), { code: 1 }), new Uint8Array(3), "it's");
       const c = {}; c.self = c; console.log(c, { get x() { throw 1 }, set x(v) {} }, { [Symbol('k')]: 1 }, () => {});`,
      ),
    ).toEqual([
      'debug: text 1 -0 null undefined true 10n Symbol(s)',
      "debug: { a: 'x', 'b c': [ 1, [ 2, [Array] ] ], f: [Function: f], g: [class Bar] }",
      "debug: Foo { a: 1 } [Object: null prototype] {} [ undefined, 1 ] Map(1) { 'k' => { v: 1 } } Set(1) { 1 }",
      "debug: 1970-01-01T00:00:00.000Z /x/g TypeError: bad Error: x { code: 1, [cause]: 'c' } Uint8Array(3) [ 0, 0, 0 ] it's",
      'debug: { self: [Circular] } { x: [Getter/Setter] } { [Symbol(k)]: 1 } [Function (anonymous)]',
    ]);
  });

  test('formats are filled in', async () => {
    expect(
      await logs(
        `console.log('%s is %d (%i, %f) %j %o %O %c%% %s', 'x', '1.5', 1.9, 0.5, { a: 1 }, [1], [2], 'css', 'last', 'more'); console.log('100%', 1); console.log('%s'); console.log(1, '%s', 2)`,
      ),
    ).toEqual([
      'debug: x is 1.5 (1, 0.5) { a: 1 } [ 1 ] [ 2 ] % last more',
      'debug: 100% 1',
      'debug: %s',
      'debug: 1 %s 2',
    ]);
  });

  test('groups indent, counters count, and nothing measures time', async () => {
    expect(
      await logs(`console.group('g'); console.log('in\\nside'); console.groupEnd(); console.groupEnd(); console.log('out'); console.count(); console.count('x'); console.count(); console.countReset(); console.count();
      console.time('t'); console.timeLog('t'); console.timeEnd('t'); console.clear(); console.table([{ a: 1 }]); console.dir({ a: 1 })`),
    ).toEqual([
      'debug: g',
      'debug:   in\n  side',
      'debug: out',
      'debug: default: 1',
      'debug: x: 1',
      'debug: default: 2',
      'debug: default: 1',
      'debug: [ { a: 1 } ]',
      'debug: { a: 1 }',
    ]);
  });

  test('a line has a maximum length for every kind of value', async () => {
    const lines = await logs(
      `console.log('x'.repeat(1e7)); console.log({ a: 'y'.repeat(1e7) }); console.log(Array.from({ length: 1e5 }, (_, i) => i)); console.log('%s%s%s', 'a'.repeat(90), 'b'.repeat(90), 'c'.repeat(90));
     let deep = {}; for (let i = 0; i < 1e5; i++) deep = { deep }; console.log(deep); const dag = [[]]; for (let i = 0; i < 40; i++) dag.push([dag[i], dag[i]]); console.log(dag[40]); console.log(...Array(1e4).fill('z'))`,
      { maxLogText: 100 },
    );
    expect(lines).toHaveLength(7);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual('debug: '.length + 101);
  });

  test('a line in a group has the same maximum length', async () => {
    const lines = await logs(
      `for (let i = 0; i < 20; i++) console.group(); console.log('\\n'.repeat(90))`,
      { maxLogText: 100 },
    );
    expect(lines).toHaveLength(1);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual('debug: '.length + 101);
  });

  test('an object that throws on every read is still logged', async () => {
    expect(
      await logs(
        `const hostile = new Proxy({}, { get() { throw new Error('get') }, ownKeys() { throw new Error('keys') }, getPrototypeOf() { throw 1 }, getOwnPropertyDescriptor() { throw 1 } });
       const { proxy, revoke } = Proxy.revocable([], {}); revoke();
       console.log(hostile, { inside: hostile }, proxy); console.log('%s', hostile);
       console.log({ toString() { throw 1 }, [Symbol.toPrimitive]() { throw 2 } });
       console.log(new Proxy([], { get: (t, k) => k === 'length' ? Infinity : t[k] }));`,
      ),
    ).toEqual([
      'debug: <unreadable> { inside: <unreadable> } <unreadable>',
      'debug: <unreadable>',
      'debug: { toString: [Function: toString], [Symbol(Symbol.toPrimitive)]: [Function: [Symbol.toPrimitive]] }',
      expect.stringMatching(/^debug: \[ undefined, /),
    ]);
  });

  test('logging runs no getters and no conversions', async () => {
    const { value } = await realm.run(
      `let ran = 0; const o = { get a() { ran++ }, toString() { ran++ }, valueOf() { ran++ }, toJSON() { ran++ }, [Symbol.toPrimitive]() { ran++ } };
     console.log(o, [o]); console.log('%s %d %j %o', o, o, o, o); console.error(o); return ran`,
    );
    expect(value).toBe(0);
  });

  test('a trap that logs its own object does not recurse endlessly', async () => {
    const lines = await logs(
      `const o = new Proxy({}, { ownKeys() { console.log(o); return [] } }); console.log(o)`,
    );
    expect(lines.length).toBeGreaterThan(0);
  });

  test('methods work without a receiver, and the console cannot be changed', async () => {
    const { logs: lines, value } = await realm.run(
      `const { log } = console; log('alone'); [1].forEach(console.log); try { console.log = () => {} } catch (e) { return e.name }`,
    );
    expect(lines).toEqual(['debug: alone', 'debug: 1 0 [ 1 ]']);
    expect(value).toBe('TypeError');
  });
});
