import { describe, expect, test } from 'vitest';
import { makeWebCapabilities } from '../../../sandbox/node/web-capabilities.js';

const powers = makeWebCapabilities(globalThis);

describe('the web powers', () => {
  test('parse a URL into texts, and return nothing for an invalid one', () => {
    const parts = powers.url.parse('../b?c#d', 'https://u:p@a.test:8080/x/y');
    expect(parts).toEqual({
      href: 'https://u:p@a.test:8080/b?c#d',
      origin: 'https://a.test:8080',
      protocol: 'https:',
      username: 'u',
      password: 'p',
      host: 'a.test:8080',
      hostname: 'a.test',
      port: '8080',
      pathname: '/b',
      search: '?c',
      hash: '#d',
    });
    expect(powers.url.parse('nope')).toBeUndefined();
    expect(powers.url.set('https://a.test/', 'port', 'x').href).toBe('https://a.test/');
    expect(powers.url.set('https://a.test/', 'hash', 'h').href).toBe('https://a.test/#h');
  });

  test('encode bytes into their own memory, never into Node’s pool', () => {
    for (const text of ['', 'a', 'é'.repeat(10_000)]) {
      const bytes = powers.text.encode(text);
      expect(bytes.buffer.byteLength).toBe(bytes.byteLength);
      expect(Object.getPrototypeOf(bytes)).toBe(Uint8Array.prototype);
    }
  });

  test('carry over the rest of a piece in a decoder, and return none for an unknown label', () => {
    const decoder = powers.text.decoder('UTF8', { fatal: true, ignoreBOM: false });
    expect(decoder?.encoding).toBe('utf-8');
    expect(decoder?.decode(new Uint8Array([0xc3]), true)).toBe('');
    expect(decoder?.decode(new Uint8Array([0xa9]), false)).toBe('é');
    expect(() => decoder?.decode(new Uint8Array([0xff]), false)).toThrow(TypeError);
    expect(powers.text.decoder('klingon', { fatal: false, ignoreBOM: false })).toBeUndefined();
  });

  test('run the callback of a timer without Node’s Timeout as this', async () => {
    const self = await new Promise((resolve) => {
      powers.clock.setTimeout(function (this: unknown) {
        resolve(this);
      }, 1);
    });
    expect(self).toBeUndefined();
    let ran = false;
    powers.clock.clearTimeout(
      powers.clock.setTimeout(() => {
        ran = true;
      }, 1),
    );
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
    expect(ran).toBe(false);
  });

  test('still work after the globals that they use are removed', () => {
    const globals = { ...pick(), Math: { random: () => 0.5 } };
    const kept = makeWebCapabilities(globals);
    for (const name of Object.keys(globals)) Reflect.deleteProperty(globals, name);
    expect(kept.url.parse('a:b')?.href).toBe('a:b');
    expect(kept.text.atob('YQ==')).toBe('a');
    expect(kept.text.decoder('utf-8', { fatal: false, ignoreBOM: false })?.encoding).toBe('utf-8');
    expect(kept.clock.now()).toBeGreaterThan(0);
    expect(kept.clock.monotonic()).toBeGreaterThanOrEqual(0);
    expect(kept.random()).toBe(0.5);
  });
});

function pick() {
  const {
    URL,
    TextEncoder,
    TextDecoder,
    setTimeout,
    clearTimeout,
    queueMicrotask,
    performance,
    atob,
    btoa,
    Date,
    Intl,
  } = globalThis;
  return {
    URL,
    TextEncoder,
    TextDecoder,
    setTimeout,
    clearTimeout,
    queueMicrotask,
    performance,
    atob,
    btoa,
    Date,
    Intl,
  };
}
