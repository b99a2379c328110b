import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();
const granted = { grant: { random: true } };
const toHex = `const hex = (buffer) => Array.from(new Uint8Array(buffer), (b) => b.toString(16).padStart(2, '0')).join('');`;

describe('crypto.subtle', () => {
  test('digests equal Node’s, without any permission', async () => {
    const value = await realm.value(
      `${toHex} const data = new TextEncoder().encode('abc'.repeat(1000));
       return Promise.all(['SHA-1', 'sha-256', { name: 'SHA-384' }, 'SHA-512'].map(async (name) => hex(await crypto.subtle.digest(name, data))))`,
    );
    const digest = (name: string): string =>
      createHash(name).update('abc'.repeat(1000)).digest('hex');
    expect(value).toEqual(['sha1', 'sha256', 'sha384', 'sha512'].map(digest));
  });

  test('HMAC signs and verifies as Node does', async () => {
    const value = await realm.value(
      `${toHex} const raw = new TextEncoder().encode('key'); const data = new TextEncoder().encode('text');
       const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
       const signature = await crypto.subtle.sign('HMAC', key, data);
       return [hex(signature), await crypto.subtle.verify('HMAC', key, signature, data), await crypto.subtle.verify('HMAC', key, signature, raw),
         key.type, key.extractable, key.algorithm.name, Object.prototype.toString.call(key)]`,
    );
    const signature = createHmac('sha256', 'key').update('text').digest('hex');
    expect(value).toEqual([signature, true, false, 'secret', false, 'HMAC', '[object CryptoKey]']);
  });

  test('what is not supported rejects with NotSupportedError', async () => {
    const value = await realm.value(
      `const of = (run) => run.then(() => 'ran', (error) => error.name);
       return Promise.all([of(crypto.subtle.digest('MD5', new Uint8Array(1))), of(crypto.subtle.encrypt({}, {}, new Uint8Array(1))),
         of(crypto.subtle.importKey('raw', new Uint8Array(1), 'AES-GCM', false, []))])`,
    );
    expect(value).toEqual(['NotSupportedError', 'NotSupportedError', 'NotSupportedError']);
  });

  test('results are plain buffers that lead nowhere', async () => {
    expect(
      await realm.value(
        `const buffer = await crypto.subtle.digest('SHA-256', new Uint8Array(1));
         return [buffer instanceof ArrayBuffer, Object.getPrototypeOf(buffer) === ArrayBuffer.prototype, buffer.byteLength]`,
      ),
    ).toEqual([true, true, 32]);
  });
});

describe('cryptographic randomness', () => {
  const drawing = `[() => crypto.randomUUID(), () => crypto.getRandomValues(new Uint8Array(4))]`;
  const outcomes = `return ${drawing}.map((draw) => { try { draw(); return 'drew' } catch (e) { return e.code } })`;

  test('with random granted, it draws', async () => {
    const value = await realm.value(
      `const bytes = new Uint32Array(64); const same = crypto.getRandomValues(bytes) === bytes;
       return [same, new Set(bytes).size > 60, crypto.randomUUID(), crypto.randomUUID()]`,
      granted,
    );
    const uuid = expect.stringMatching(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(value).toEqual([true, true, uuid, uuid]);
    expect(Array.isArray(value) && value[2] !== value[3]).toBe(true);
  });

  test('without random, it is denied and reported', async () => {
    expect(await realm.value(outcomes)).toEqual(['RANDOM_DENIED', 'RANDOM_DENIED']);
    expect((await realm.run(outcomes)).denied).toEqual([
      'random: crypto.randomUUID',
      'random: crypto.getRandomValues',
    ]);
  });

  test('a system without it denies it under every permission, and reports it', async () => {
    const spec = { ...granted, hasCryptoRandom: false };
    expect(await realm.value(outcomes, spec)).toEqual(['BUILTIN_DENIED', 'BUILTIN_DENIED']);
    expect((await realm.run(outcomes, spec)).denied).toEqual([
      'builtin: crypto.randomUUID',
      'builtin: crypto.getRandomValues',
    ]);
  });

  test('after a revocation stored functions fail', async () => {
    expect(
      await realm.value(
        `const { randomUUID } = crypto; randomUUID(); tools.revoke('random'); try { return randomUUID() } catch (e) { return e.code }`,
        granted,
      ),
    ).toBe('PERMISSION_REVOKED');
  });

  test('only arrays of integers are filled, of 65,536 bytes at most', async () => {
    expect(
      await realm.value(
        `return [new Float64Array(1), [1, 2], new Uint8Array(65537), null].map((array) => { try { crypto.getRandomValues(array); return 'filled' } catch (e) { return e.name } })`,
        granted,
      ),
    ).toEqual(['TypeError', 'TypeError', 'QuotaExceededError', 'TypeError']);
  });
});
