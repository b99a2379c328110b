import type * as NodeCrypto from 'node:crypto';
import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtin } from '../../../sandbox/builtins/crypto.js';

const algorithms = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const;
const ours = builtin as typeof NodeCrypto;

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

  it.each(['randomBytes', 'randomUUID', 'getRandomValues', 'randomInt'] as const)(
    'refuses %s, and says that nothing grants it',
    (name) => {
      const draw = (): unknown => Reflect.apply(ours[name] as never, ours, [8]);
      expect(draw).toThrow(/no permission grants cryptographic/);
      expect(codeOf(draw)).toBe('BUILTIN_DENIED');
    },
  );

  it('refuses what it does not have when it is used, not when it is looked at', () => {
    const { createCipheriv } = ours;
    expect(codeOf(() => createCipheriv('aes-128-gcm', 'k', 'i'))).toBe('BUILTIN_DENIED');
  });

  it('compares in the time that the length takes', () => {
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
