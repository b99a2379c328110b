import { describe, expect, test } from 'vitest';
import { endowments } from '../../../sandbox/endowments/table.js';
import { useRealm } from './realm/realm.js';

const realm = useRealm();

const everything = {
  time: true,
  random: true,
  network: true,
  fs: [],
  env: { KEY: 'v' },
  storage: true,
  powers: ['notes'],
};

const always = [
  'AbortController',
  'AbortSignal',
  'Blob',
  'ByteLengthQueuingStrategy',
  'CountQueuingStrategy',
  'CustomEvent',
  'DOMException',
  'Date',
  'Event',
  'EventTarget',
  'File',
  'FormData',
  'Headers',
  'Math',
  'MessageChannel',
  'MessageEvent',
  'MessagePort',
  'ReadableStream',
  'Request',
  'Response',
  'TextDecoder',
  'TextDecoderStream',
  'TextEncoder',
  'TextEncoderStream',
  'TransformStream',
  'URL',
  'URLSearchParams',
  'WritableStream',
  'atob',
  'btoa',
  'clearInterval',
  'clearTimeout',
  'console',
  'crypto',
  'powers',
  'queueMicrotask',
  'setInterval',
  'setTimeout',
  'storage',
  'structuredClone',
];
const granted = {
  env: ['env'],
  fs: ['readFile'],
  network: ['fetch'],
  powers: [],
  random: [],
  storage: [],
  time: ['Intl', 'performance'],
};

const present = `return ${JSON.stringify([...always, ...Object.values(granted).flat()])}.filter((name) => name in globalThis)`;

describe('endowments', () => {
  test('without permissions a compartment has only the globals that need none', async () => {
    const { value, withheld } = await realm.run(present);
    expect(value).toEqual(always);
    expect(withheld.toSorted()).toEqual(Object.values(granted).flat().toSorted());
  });

  test.each(Object.entries(granted))(
    'the permission %s adds its globals and no other’s',
    async (permission, names) => {
      const grant = { [permission]: Reflect.get(everything, permission) };
      const { value, withheld } = await realm.run(present, { grant });
      expect(value).toEqual([...always, ...names]);
      expect(withheld).not.toEqual(expect.arrayContaining(['nothing', ...names]));
    },
  );

  describe('prebuilt endowments', () => {
    const inventory = `
    const look = (name) => {
      const { value, ...rest } = Object.getOwnPropertyDescriptor(globalThis, name);
      const own = Object(value) === value ? Reflect.ownKeys(value).map(String) : String(value);
      return [name, typeof value, rest, own, Object.isFrozen(value)];
    };
    const tries = [() => Date.now(), () => Math.random(), () => storage.read('a'), () => powers.notes(), () => powers.none(), () => env.get('KEY'), () => fetch('https://x.test/text').then((r) => r.text()), () => readFile('a'), () => { for (let n = 0; n < 9; n++) setTimeout(() => {}, 1e6) }, () => console.log('a line that is too long')];
    const told = [];
    for (const attempt of tries) try { told.push(typeof await attempt()) } catch (e) { told.push([e.name, e.code, e.message]) }
    const found = Object.getOwnPropertyNames(globalThis).sort().map(look);
    tools.revoke();
    return [found, told]`;
    const limits = { maxTimers: 8, maxLogText: 10 };

    test.each([
      {},
      everything,
      ...Object.entries(everything).map(([name, value]) => ({ [name]: value })),
    ])('equal endowments made at once, with the grant %j', async (grant) => {
      const made = await realm.run(inventory, { grant, limits });
      expect(made.failure).toBeUndefined();
      expect(made).toEqual(await realm.run(inventory, { grant, limits, atOnce: true }));
    });
  });

  test('every permission has one endowment of its name', () => {
    const named = Object.entries(endowments)
      .filter(([name, { permission }]) => permission === name)
      .map(([name]) => name);
    expect(named.toSorted()).toEqual(Object.keys(granted));
  });

  test('no two endowments claim one global', () => {
    const names = Object.values(endowments).flatMap(({ globals }) => globals);
    expect(new Set(names).size).toBe(names.length);
  });

  test('an endowment makes only the globals that it names', async () => {
    const made = await realm.value('return Object.getOwnPropertyNames(globalThis)', {
      grant: everything,
    });
    for (const { globals } of Object.values(endowments)) {
      expect(made).toEqual(expect.arrayContaining([...globals]));
    }
  });

  test('a function has the name of its global', async () => {
    const names = Object.values(endowments).flatMap(({ globals }) => globals);
    const misnamed = await realm.value(
      `return ${JSON.stringify(names)}.filter((name) => typeof globalThis[name] === 'function' && globalThis[name].name !== name)`,
      { grant: everything },
    );
    expect(misnamed).toEqual([]);
  });

  test('globals are constants: code cannot replace, delete or redefine them', async () => {
    expect(
      await realm.value(
        `const tries = [() => { globalThis.fetch = 1 }, () => { fetch = 1 }, () => delete globalThis.fetch, () => Object.defineProperty(globalThis, 'fetch', { value: 1 }), () => { console.log = 1 }, () => { fetch.x = 1 }, () => { URL.prototype.x = 1 }];
       return tries.map((f) => { try { return f() } catch (e) { return e.name } })`,
        { grant: everything },
      ),
    ).toEqual(Array.from({ length: 7 }, () => 'TypeError'));
  });

  test('references stop working when everything is revoked', async () => {
    const { value, logs, host, faults } = await realm.run(
      `const { log } = console; log('before'); let fired = 0;
     setTimeout(() => { fired += 1 }, 1); setInterval(() => { fired += 1 }, 1); queueMicrotask(() => { fired += 1 });
     const timeout = AbortSignal.timeout(1);
     tools.revoke();
     log('after'); setTimeout(() => { fired += 1 }, 1); queueMicrotask(() => { fired += 1 });
     const errors = await Promise.all([fetch('https://x.test/text'), readFile('a'), storage.read('a'), powers.notes()].map((p) => p.catch((e) => e.code)));
     for (const f of [Date.now, Math.random, () => env.get('KEY')]) try { f() } catch (e) { errors.push(e.code) }
     for (let i = 0; i < 500; i++) await null;
     await tools.sleep(20);
     return [fired, timeout.aborted, errors]`,
      { grant: everything },
    );
    expect(value).toEqual([0, false, Array.from({ length: 7 }, () => 'PERMISSION_REVOKED')]);
    expect(logs).toEqual(['debug: before']);
    expect(host).toEqual([]);
    expect(faults).toEqual([]);
  });

  test('a revocation affects one compartment only', async () => {
    await realm.run('tools.revoke()', { grant: everything });
    expect(
      await realm.value('return (await fetch("https://x.test/text")).status', {
        grant: everything,
      }),
    ).toBe(200);
  });
});
