import { expect, test } from 'vitest';
import { makeWebPowers } from '../../../sandbox/node/web-powers.js';

const powers = makeWebPowers(globalThis);

test('a URL is taken apart into texts, and what is none gives nothing', () => {
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

test('encoded bytes lie in memory of their own, never in Node’s pool', () => {
  for (const text of ['', 'a', 'é'.repeat(10_000)]) {
    const bytes = powers.text.encode(text);
    expect(bytes.buffer.byteLength).toBe(bytes.byteLength);
    expect(Object.getPrototypeOf(bytes)).toBe(Uint8Array.prototype);
  }
});

test('a decoder keeps what a piece leaves over, and unknown labels give none', () => {
  const decoder = powers.text.decoder('UTF8', { fatal: true, ignoreBOM: false });
  expect(decoder?.encoding).toBe('utf-8');
  expect(decoder?.decode(new Uint8Array([0xc3]), true)).toBe('');
  expect(decoder?.decode(new Uint8Array([0xa9]), false)).toBe('é');
  expect(() => decoder?.decode(new Uint8Array([0xff]), false)).toThrow(TypeError);
  expect(powers.text.decoder('klingon', { fatal: false, ignoreBOM: false })).toBeUndefined();
});

test('a timer runs its callback without Node’s Timeout as this', async () => {
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

test('the powers outlive the globals that they were taken from', () => {
  const globals = { ...pick(), Math: { random: () => 0.5 } };
  const kept = makeWebPowers(globals);
  for (const name of Object.keys(globals)) Reflect.deleteProperty(globals, name);
  expect(kept.url.parse('a:b')?.href).toBe('a:b');
  expect(kept.text.atob('YQ==')).toBe('a');
  expect(kept.text.decoder('utf-8', { fatal: false, ignoreBOM: false })?.encoding).toBe('utf-8');
  expect(kept.clock.now()).toBeGreaterThan(0);
  expect(kept.clock.monotonic()).toBeGreaterThanOrEqual(0);
  expect(kept.random()).toBe(0.5);
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
