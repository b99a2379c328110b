import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();
const granted = { grant: { fs: [] } };

describe('readFile', () => {
  test('readFile gives a file’s text, without its byte order mark', async () => {
    expect(await realm.value('return readFile("a.txt")', granted)).toBe('content of a.txt ✓');
  });

  test('a refusal of the host has its code and message, and not its stack or class', async () => {
    expect(
      await realm.value(
        `try { await readFile('secret') } catch (e) { return [e.code, e.message, Object.keys(e), Object.getPrototypeOf(e) === Error.prototype, e.stack] }`,
        granted,
      ),
    ).toEqual(['FILESYSTEM_DENIED', 'secret is not granted', ['code'], true, '']);
    expect((await realm.failure('return readFile("missing")', granted)).code).toBe(
      'FILESYSTEM_FAILED',
    );
  });

  test('a path must be a string, so the check and the read see the same value', async () => {
    const { failure, host } = await realm.run(
      `let n = 0; await readFile({ toString: () => (n++ ? 'secret' : 'a.txt') })`,
      granted,
    );
    expect(failure?.message).toBe('readFile takes a path as a string');
    expect(host).toEqual([]);
  });

  test('a file over the limit is refused', async () => {
    const limits = { maxBodyBytes: 2000 };
    expect((await realm.failure('return readFile("big")', { ...granted, limits })).code).toBe(
      'FILESYSTEM_LIMIT',
    );
    expect(await realm.value('return (await readFile("big")).length', granted)).toBe(3000);
  });

  test('without the permission there is no readFile, and using it is denied', async () => {
    expect(await realm.value('return typeof readFile')).toBe('undefined');
    const failure = await realm.failure('await readFile("a.txt")');
    expect(failure.code).toBe('FILESYSTEM_DENIED');
    expect(failure.message).toContain('add "fs": ["<path prefix>"] to "permissions"');
  });

  test('after a revocation a stored readFile fails, and so does an open read', async () => {
    expect(
      await realm.value(
        `const read = readFile; const early = read('a.txt').catch((e) => e.code); tools.revoke('fs');
       return [await early, await read('a.txt').catch((e) => e.code)]`,
        granted,
      ),
    ).toEqual(['PERMISSION_REVOKED', 'PERMISSION_REVOKED']);
  });
});
