import { describe, expect, test } from 'vitest';
import { endowments } from '../../../sandbox/endowments/table.js';
import { useRealm } from './realm/realm.js';

const realm = useRealm();

const everything = {
  time: true,
  random: true,
  network: true,
  filesystem: true,
  environment: { KEY: 'v' },
  storage: true,
  powers: ['notes'],
};

const always = [
  'AbortController',
  'AbortSignal',
  'DOMException',
  'Date',
  'Event',
  'EventTarget',
  'Math',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'URLSearchParams',
  'atob',
  'btoa',
  'clearInterval',
  'clearTimeout',
  'console',
  'powers',
  'queueMicrotask',
  'setInterval',
  'setTimeout',
  'storage',
  'structuredClone',
];
const granted = {
  environment: ['env'],
  filesystem: ['readFile'],
  network: [
    'Blob',
    'File',
    'FormData',
    'Headers',
    'ReadableStream',
    'Request',
    'Response',
    'fetch',
  ],
  powers: [],
  random: [],
  storage: [],
  time: ['Intl', 'performance'],
};

const present = `return ${JSON.stringify([...always, ...Object.values(granted).flat()])}.filter((name) => name in globalThis)`;

test('without any permission a compartment has what needs none, and nothing else', async () => {
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

describe('what was made before it was known whose it is', () => {
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
  ])('is what is made at once, with the grant %j', async (grant) => {
    const made = await realm.run(inventory, { grant, limits });
    expect(made.failure).toBeUndefined();
    expect(made).toEqual(await realm.run(inventory, { grant, limits, atOnce: true }));
  });
});

test('every permission has one endowment of its name', () => {
  const named = Object.entries(endowments)
    .filter(([, { permission }]) => permission !== undefined)
    .map(([name, { permission }]) => `${name}: ${permission}`);
  expect(named.toSorted()).toEqual(Object.keys(granted).map((name) => `${name}: ${name}`));
});

test('no two endowments claim one global', () => {
  const names = Object.values(endowments).flatMap(({ globals }) => globals);
  expect(new Set(names).size).toBe(names.length);
});

test('everything that an endowment makes is among the globals that it names', async () => {
  const made = await realm.value('return Object.getOwnPropertyNames(globalThis)', {
    grant: everything,
  });
  for (const { globals } of Object.values(endowments)) {
    expect(made).toEqual(expect.arrayContaining([...globals]));
  }
});

test('a function is called what its global is called', async () => {
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

test('revoking everything silences what was kept', async () => {
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

test('one compartment’s revocation is not another’s', async () => {
  await realm.run('tools.revoke()', { grant: everything });
  expect(
    await realm.value('return (await fetch("https://x.test/text")).status', { grant: everything }),
  ).toBe(200);
});
