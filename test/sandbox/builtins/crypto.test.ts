import type * as NodeCrypto from 'node:crypto';
import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadBuiltin } from './load.js';

const algorithms = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const;
const ours = await loadBuiltin<typeof NodeCrypto>('crypto');

describe('crypto', () => {
  it.each(algorithms)('hashes any bytes with %s as Node does', (algorithm) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(ours.createHash(algorithm).update(bytes).digest('hex')).toBe(
          createHash(algorithm).update(bytes).digest('hex'),
        );
      }),
      { numRuns: 25 },
    );
  });

  it.each(algorithms)('signs with %s and any key as Node does', (algorithm) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (key, text) => {
        expect(ours.createHmac(algorithm, key).update(text).digest('base64')).toBe(
          createHmac(algorithm, key).update(text).digest('base64'),
        );
      }),
      { numRuns: 25 },
    );
  });

  it('draws from the compartment’s crypto, in Node’s forms', async () => {
    const drawn = await new Promise((resolve, reject) => {
      ours.randomBytes(3, (error, bytes) =>
        error === null ? resolve(bytes.length) : reject(error),
      );
    });
    expect(drawn).toBe(3);
    expect(ours.randomBytes(70_000)).toHaveLength(70_000);
    expect(ours.randomUUID()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4/);
    const numbers = Array.from({ length: 200 }, () => ours.randomInt(5, 8));
    expect(new Set(numbers)).toEqual(new Set([5, 6, 7]));
    expect(ours.randomFillSync(new Uint32Array(4), 1, 2)[0]).toBe(0);
    expect(() => ours.randomInt(3, 3)).toThrow(RangeError);
    expect(await ours.webcrypto.subtle.digest('SHA-256', new Uint8Array(1))).toBeInstanceOf(
      ArrayBuffer,
    );
  });

  it('refuses missing members on use, not on access', () => {
    const { createCipheriv } = ours;
    expect(codeOf(() => createCipheriv('aes-128-gcm', 'k', 'i'))).toBe('BUILTIN_DENIED');
  });

  it('compares bytes with timingSafeEqual', () => {
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    expect(ours.timingSafeEqual(bytes('abc'), bytes('abc'))).toBe(true);
    expect(ours.timingSafeEqual(bytes('abc'), bytes('abd'))).toBe(false);
    expect(() => ours.timingSafeEqual(bytes('a'), bytes('ab'))).toThrow(RangeError);
  });
});

function codeOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : undefined;
  }
  return 'did not throw';
}
