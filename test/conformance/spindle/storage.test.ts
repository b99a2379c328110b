/** The files of an extension (Spindle storage, user storage, enclave, ephemeral, variables). */
import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/index.js';
import { makeExtension, registering } from '../../engine/extension-on-disk.js';
import { makeDirectory, startEngine } from '../../engine/plugin-on-disk.js';

/** A tool that runs one expression, chosen by name, and answers its JSON or what it throws. */
function backend(expressions: Readonly<Record<string, string>>): string {
  const cases = Object.entries(expressions).map(
    ([name, expression]) => `${JSON.stringify(name)}: async (args) => (${expression})`,
  );
  return `const all = { ${cases.join(',\n')} };
    ${registering('run')}
    spindle.on('TOOL_INVOCATION', async ({ args }) => {
      try { return JSON.stringify(await all[args.which](args)) ?? 'undefined'; }
      catch (error) { return error.message; }
    });`;
}

async function answer(engine: Engine, which: string, more: object = {}): Promise<unknown> {
  const { value } = await engine.call('sample:run', { which, ...more });
  return value;
}

/** What Node and Bun say of such data. */
const NO_DATA =
  'The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView';

describe('storage', () => {
  const storage = makeDirectory();
  let engine: Engine;
  beforeAll(async () => {
    const source = backend({
      text: `(await spindle.storage.write('notes/a.txt', 'hello'), await spindle.storage.read('notes/a.txt'))`,
      binary: `(await spindle.storage.writeBinary('b.bin', new Uint8Array([0, 255, 128])), [...await spindle.storage.readBinary('b.bin')])`,
      notBytes: `spindle.storage.writeBinary('c.bin', 'text')`,
      notText: `Promise.all([undefined, null, 5, {}, ['a']].map((data) => spindle.storage.write('kept.txt', data).then(() => 'written', ({ name, message }) => name + ': ' + message)))`,
      bytesAsText: `(await spindle.storage.write('t.txt', new Uint8Array([104, 105])), await spindle.storage.read('t.txt'))`,
      jsonAbsent: `(await spindle.storage.setJson('kept.json', { a: 1 }), [await Promise.all([undefined, () => 1, Symbol('s')].map((value) => spindle.storage.setJson('kept.json', value).then(() => 'written', ({ message }) => message))), await spindle.storage.getJson('kept.json')])`,
      missing: `spindle.storage.read('nothing.txt')`,
      deleteMissing: `spindle.storage.delete('nothing.txt')`,
      statMissing: `spindle.storage.stat('nothing.txt')`,
      stat: `(await spindle.storage.write('s.txt', 'four'), (({ modifiedAt, ...rest }) => [rest, new Date(modifiedAt).getTime() > 1e12])(await spindle.storage.stat('s.txt')))`,
      exists: `[await spindle.storage.exists('s.txt'), await spindle.storage.exists('no')]`,
      json: `(await spindle.storage.setJson('j.json', { a: [1] }), [await spindle.storage.read('j.json'), await spindle.storage.getJson('j.json')])`,
      jsonIndent: `(await spindle.storage.setJson('k.json', { a: 1 }, { indent: 0 }), await spindle.storage.read('k.json'))`,
      jsonFallback: `[await spindle.storage.getJson('no.json', { fallback: 7 }), (await spindle.storage.getJson('no.json', { fallback: undefined })) === undefined]`,
      jsonMissing: `spindle.storage.getJson('no.json')`,
      list: `(await spindle.storage.write('l/x/1.txt', ''), await spindle.storage.write('l/2.txt', ''), await spindle.storage.mkdir('l/empty'), [await spindle.storage.list('l'), await spindle.storage.list('none'), (await spindle.storage.list()).includes('l/2.txt')])`,
      move: `(await spindle.storage.write('m1', 'm'), await spindle.storage.move('m1', 'deep/m2'), [await spindle.storage.exists('m1'), await spindle.storage.read('deep/m2')])`,
      moveMissing: `spindle.storage.move('nothing', 'else')`,
      up: `spindle.storage.read('../../etc/passwd')`,
      absolute: `spindle.storage.read('/etc/passwd')`,
      root: `spindle.storage.delete('')`,
      dot: `spindle.storage.delete('.')`,
      link: `spindle.storage.read('planted')`,
      number: `spindle.storage.read(7)`,
      large: `spindle.storage.writeBinary('large', new Uint8Array(40 * 1024 * 1024))`,
    });
    engine = await startEngine([makeExtension({ source })], { storageDirectory: storage });
  });

  it.each([
    ['text', '"hello"'],
    ['binary', '[0,255,128]'],
    ['notBytes', 'spindle.storage.writeBinary takes bytes, as a Uint8Array'],
    ['notText', JSON.stringify(Array.from({ length: 5 }, () => `TypeError: ${NO_DATA}`))],
    ['bytesAsText', '"hi"'],
    ['jsonAbsent', JSON.stringify([[NO_DATA, NO_DATA, NO_DATA], { a: 1 }])],
    ['missing', 'File not found'],
    ['deleteMissing', 'undefined'],
    [
      'statMissing',
      '{"exists":false,"isFile":false,"isDirectory":false,"sizeBytes":0,"modifiedAt":"1970-01-01T00:00:00.000Z"}',
    ],
    ['stat', '[{"exists":true,"isFile":true,"isDirectory":false,"sizeBytes":4},true]'],
    ['exists', '[true,false]'],
    ['json', '["{\\n  \\"a\\": [\\n    1\\n  ]\\n}",{"a":[1]}]'],
    ['jsonIndent', '"{\\"a\\":1}"'],
    ['jsonFallback', '[7,true]'],
    ['jsonMissing', 'Failed to parse JSON from no.json'],
    ['list', '[["2.txt","x/1.txt"],[],true]'],
    ['move', '[false,"m"]'],
    ['moveMissing', 'File not found'],
    ['number', 'A path in storage is a string'],
  ])('S80: %s', async (which, expected) => {
    expect(await answer(engine, which)).toBe(expected);
  });

  it.each(['up', 'absolute', 'root', 'dot', 'link', 'large'])(
    'S80: %s is refused, and nothing is lost',
    async (which) => {
      await answer(engine, 'text');
      const data = join(storage, 'sample', 'data');
      if (which === 'link' && !existsSync(join(data, 'planted'))) {
        symlinkSync('/etc/passwd', join(data, 'planted'));
      }
      const words = await answer(engine, which);
      expect(words).toMatch(/^Storage|^sample|is no|too large|limit|more than/i);
      expect(words).not.toContain('root:');
      expect(readdirSync(data)).toContain('notes');
    },
  );

  it('S14: is kept from one engine to the next, for this extension alone', async () => {
    const source = backend({ read: `spindle.storage.read('notes/a.txt')` });
    const again = await startEngine([makeExtension({ source })], { storageDirectory: storage });
    expect(await answer(again, 'read')).toBe('"hello"');
    const other = makeExtension({ source, identifier: 'other' });
    const apart = await startEngine([other], { storageDirectory: storage });
    expect((await apart.call('other:run', { which: 'read' })).value).toBe('File not found');
  });
});

describe('user storage and enclave', () => {
  const expressions = {
    write: `(await spindle.userStorage.write('a.txt', args.text, args.user), await spindle.userStorage.read('a.txt', args.user))`,
    read: `spindle.userStorage.read('a.txt', args.user)`,
    json: `(await spindle.userStorage.setJson('j.json', { user: args.user }, { userId: args.user }), await spindle.userStorage.getJson('j.json', { userId: args.user }))`,
    list: `spindle.userStorage.list(undefined, args.user)`,
    put: `(await spindle.enclave.put('key', args.text, args.user), await spindle.enclave.get('key', args.user))`,
    get: `spindle.enclave.get('key', args.user)`,
    more: `(await spindle.enclave.put('other.key-1_', 'v'), [await spindle.enclave.has('other.key-1_'), await spindle.enclave.list(), await spindle.enclave.delete('other.key-1_'), await spindle.enclave.delete('other.key-1_'), await spindle.enclave.get('other.key-1_')])`,
    badKey: `spindle.enclave.put(args.key, 'v')`,
    badValue: `spindle.enclave.put('k', args.value)`,
    long: `spindle.enclave.put('k', 'x'.repeat(65 * 1024))`,
    global: `(await spindle.variables.global.set('k', args.text ?? '', args.user), await spindle.variables.global.get('k', args.user))`,
  };

  it('S81, S90: an extension for one user has one area, whichever user it names', async () => {
    const source = backend(expressions);
    const engine = await startEngine([makeExtension({ source })], {
      storageDirectory: makeDirectory(),
    });
    expect(await answer(engine, 'write', { text: 'mine' })).toBe('"mine"');
    expect(await answer(engine, 'read', { user: 'another user' })).toBe('"mine"');
    expect(await answer(engine, 'put', { text: 'secret' })).toBe('"secret"');
    expect(await answer(engine, 'get', { user: 'another user' })).toBe('"secret"');
    expect(await answer(engine, 'json')).toBe('{}');
  });

  it('S81: an extension for all users has to say for whom, and each has their own', async () => {
    const source = backend(expressions);
    const engine = await startEngine([makeExtension({ source })], {
      config: { sample: { installScope: 'operator' } },
      storageDirectory: makeDirectory(),
    });
    const needed = 'userId is required for operator-scoped extensions';
    for (const which of ['read', 'list', 'get', 'global']) {
      expect(await answer(engine, which)).toBe(needed);
    }
    expect(await answer(engine, 'write', { text: 'a', user: 'anna' })).toBe('"a"');
    expect(await answer(engine, 'read', { user: 'ben' })).toBe('File not found');
    expect(await answer(engine, 'read', { user: '../anna' })).toBe('File not found');
    expect(await answer(engine, 'put', { text: 's', user: 'anna' })).toBe('"s"');
    expect(await answer(engine, 'get', { user: 'ben' })).toBe('null');
    expect(await answer(engine, 'list', { user: 'anna' })).toBe('["a.txt"]');
  });

  it('S82: keys are names, values are short printable text', async () => {
    const engine = await startEngine([makeExtension({ source: backend(expressions) })], {
      storageDirectory: makeDirectory(),
    });
    expect(await answer(engine, 'more')).toBe('[true,["other.key-1_"],true,false,null]');
    for (const key of ['', 'a/b', '..', '.', 'a b', 'ä', 'x'.repeat(129), 7]) {
      expect(await answer(engine, 'badKey', { key })).toMatch(/^An enclave key is of 1 to 128/);
    }
    expect(await answer(engine, 'badValue', { value: 7 })).toBe('An enclave value is a string');
    expect(await answer(engine, 'badValue', { value: 'a\u0000b' })).toMatch(/printable/);
    expect(await answer(engine, 'long')).toBe('An enclave value has at most 64 KiB');
  });
});

describe('ephemeral storage and variables', () => {
  it('keeps ephemeral files within its caps, until they expire', async () => {
    const source = backend({
      text: `(await spindle.ephemeral.write('a', 'x', { ttlMs: 60000 }), await spindle.ephemeral.writeBinary('b', new Uint8Array(3)), [await spindle.ephemeral.read('a'), [...await spindle.ephemeral.readBinary('b')], await spindle.ephemeral.list(), (await spindle.ephemeral.stat('b')).sizeBytes, 'expiresAt' in await spindle.ephemeral.stat('a')])`,
      expired: `(await spindle.ephemeral.write('gone', 'x', { ttlMs: 1 }), await new Promise((resolve) => setTimeout(resolve, 20)), await spindle.ephemeral.read('gone'))`,
      many: `(async () => { for (let n = 0; n < 300; n += 1) await spindle.ephemeral.write('f' + n, ''); })()`,
      notText: `(await spindle.ephemeral.write('kept', 'x'), [await spindle.ephemeral.write('kept', undefined).then(() => 'written', ({ name }) => name), await spindle.ephemeral.read('kept')])`,
      large: `spindle.ephemeral.writeBinary('large', new Uint8Array(9 * 1024 * 1024))`,
      block: `(async () => { const block = await spindle.ephemeral.requestBlock(1000); const full = (await spindle.ephemeral.getPoolStatus()).extensionReservedBytes; await spindle.ephemeral.releaseBlock(block.reservationId); return [full, (await spindle.ephemeral.getPoolStatus()).extensionReservedBytes]; })()`,
    });
    const engine = await startEngine([
      makeExtension({ source, permissions: ['tools', 'ephemeral_storage'] }),
    ]);
    expect(await answer(engine, 'text')).toBe('["x",[0,0,0],["a","b"],3,true]');
    expect(await answer(engine, 'expired')).toBe('File not found');
    expect(await answer(engine, 'large')).toMatch(/^Ephemeral storage holds at most \d+ bytes/);
    expect(await answer(engine, 'notText')).toBe('["TypeError","x"]');
    expect(await answer(engine, 'block')).toBe('[1000,0]');
    expect(await answer(engine, 'many')).toBe('Ephemeral storage holds at most 250 files');
  });

  it('keeps variables of a chat and of a user, apart from each other and from the files', async () => {
    const storageDirectory = makeDirectory();
    const source = backend({
      set: `(await spindle.variables.chat.set('c1', 'k', 'one'), await spindle.variables.chat.set('c2', 'k', 2), await spindle.variables.global.set('k', 'all'), await spindle.variables.local.set('c1', 'k', 'local'), 'done')`,
      get: `Promise.all([spindle.variables.chat.get('c1', 'k'), spindle.variables.chat.get('c2', 'k'), spindle.variables.global.get('k'), spindle.variables.global.get('none'), spindle.variables.chat.has('c1', 'x'), spindle.variables.chat.list('c1'), spindle.storage.list(), spindle.userStorage.list()])`,
      local: `spindle.variables.local.get('c1', 'k')`,
      gone: `(await spindle.variables.chat.delete('c1', 'k'), await spindle.variables.chat.get('c1', 'k'))`,
    });
    const directory = makeExtension({ source });
    const first = await startEngine([directory], { storageDirectory });
    expect(await answer(first, 'set')).toBe('"done"');
    expect(await answer(first, 'local')).toBe('"local"');
    await first.close();
    const later = await startEngine([directory], { storageDirectory });
    expect(await answer(later, 'get')).toBe('["one","2","all","",false,{"k":"one"},[],[]]');
    expect(await answer(later, 'local')).toBe('"local"');
    expect(await answer(later, 'gone')).toBe('""');
  });

  it('has no files where storage is not granted, and says why', async () => {
    const source = backend({ write: `spindle.storage.write('a', 'b')` });
    const engine = await startEngine([
      makeExtension({ source, manifest: { bulkhead: { permissions: { storage: false } } } }),
    ]);
    expect(await answer(engine, 'write')).toMatch(/storage/);
  });
});

it('a file in the storage directory is not a plugin’s storage by itself', async () => {
  const storageDirectory = makeDirectory();
  writeFileSync(join(storageDirectory, 'note.txt'), 'the operator’s');
  const source = backend({ read: `spindle.storage.read('../note.txt')` });
  const engine = await startEngine([makeExtension({ source })], { storageDirectory });
  expect(await answer(engine, 'read')).toMatch(/leads up/);
});
