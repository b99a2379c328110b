import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();
const granted = { grant: { storage: true, time: true } };

describe('storage', () => {
  test('files are written, read and listed by requests to the host', async () => {
    const { value, host } = await realm.run(
      `await storage.write('a', 'text ✓'); await storage.write('b', new Uint8Array([65, 66])); await storage.append('a', '!');
     await storage.mkdir('d'); await storage.move('a', 'c');
     return [await storage.read('a'), [...await storage.readBytes('a')].length, await storage.list(), await storage.stat('a'),
       await storage.stat('gone') === undefined, await storage.delete('a', { recursive: true }), await storage.usage()]`,
      granted,
    );
    const entry = { name: 'a', kind: 'file', bytes: 4, modifiedMs: 1_700_000_000_000 };
    expect(value).toEqual([
      'kept ✓',
      8,
      [entry],
      entry,
      true,
      true,
      { bytes: 4, files: 1, maxBytes: 100, maxFiles: 10 },
    ]);
    expect(host.slice(0, 5)).toEqual([
      '{"op":"write","path":"a"} text ✓',
      '{"op":"write","path":"b"} AB',
      '{"op":"append","path":"a"} !',
      '{"op":"mkdir","path":"d"}',
      '{"op":"move","path":"a","to":"c","replace":true}',
    ]);
  });

  test('without the permission every member is denied with the edit that allows it', async () => {
    const { value, denied } = await realm.run(
      `const errors = [];
     for (const name of Object.keys(storage)) await storage[name]('a', 'b').catch((e) => errors.push([e.code, e.message]));
     return errors`,
    );
    expect(value).toEqual(
      denied.map((wanted) => [
        'STORAGE_DENIED',
        `demo may not store files (${wanted.slice('storage: '.length)}). To allow this, grant it (--allow storage, or "storage": true in the option "grant") if the manifest declares it. If not, first add "storage": true to "permissions" in pandora.manifest.json.`,
      ]),
    );
    expect(denied).toHaveLength(10);
  });

  test('without time, files have no times', async () => {
    const [entry, [listed]] = (await realm.value(
      'return [await storage.stat("a"), await storage.list()]',
      { grant: { storage: true } },
    )) as [object, [object]];
    expect(entry).toMatchObject({ modifiedMs: 0 });
    expect(listed).toMatchObject({ modifiedMs: 0 });
  });

  test('a refusal of the host has its code and message, and no host objects', async () => {
    expect(
      await realm.value(
        `try { await storage.read('missing') } catch (e) { return [e.constructor === Error, e.code, e.message, Object.keys(e)] }`,
        granted,
      ),
    ).toEqual([true, 'STORAGE_FAILED', 'ENOENT: missing does not exist.', ['code']]);
  });

  test('paths are strings, and content is text or bytes', async () => {
    const { value, host } = await realm.run(
      `const errors = []; let looks = 0;
     const shifty = { toString: () => (looks += 1, 'a') };
     for (const f of [() => storage.read(shifty), () => storage.write('a', {}), () => storage.write('a'), () => storage.list(1)])
       await f().catch((e) => errors.push(e.name));
     return [errors, looks]`,
      granted,
    );
    expect(value).toEqual([Array.from({ length: 4 }, () => 'TypeError'), 0]);
    expect(host).toEqual([]);
  });

  test('bytes that change during a write are sent unchanged', async () => {
    const { host } = await realm.run(
      `const bytes = new Uint8Array([65, 65]); const sent = storage.write('a', bytes); bytes.fill(66); await sent`,
      granted,
    );
    expect(host).toEqual(['{"op":"write","path":"a"} AA']);
  });
});
