import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();
const granted = { grant: { network: true } };

describe('fetch', () => {
  test('a request reaches the host and its response is read', async () => {
    expect(
      await realm.value(
        `const r = await fetch('https://x.test/text'); return [r.status, r.ok, r.statusText, r.url, r.type, r.redirected, r.headers.get('CONTENT-type'), r.bodyUsed, await r.text(), r.bodyUsed, r instanceof Response]`,
        granted,
      ),
    ).toEqual([
      200,
      true,
      'OK',
      'https://x.test/text',
      'basic',
      false,
      'text/plain',
      false,
      'hello, wörld',
      true,
      true,
    ]);
    expect(
      await realm.value(
        `const r = await fetch('https://x.test/missing'); const n = await fetch(new URL('https://x.test/none')); return [r.ok, r.status, n.body, await n.text(), n.bodyUsed]`,
        granted,
      ),
    ).toEqual([false, 404, null, '', false]);
  });

  test('without network there is no fetch, and each use is denied', async () => {
    expect(await realm.value('return [typeof fetch, "fetch" in globalThis]')).toEqual([
      'undefined',
      false,
    ]);
    for (const code of ['fetch("https://x.test")', 'await globalThis.fetch("https://x.test")']) {
      const failure = await realm.failure(code);
      expect(failure.code).toBe('NETWORK_DENIED');
      expect(failure.message).toMatch(
        /^demo may not use the network \(\w+\)\. To allow this, grant it \(--allow (network:x\.test|'network:<host name>'), or /,
      );
    }
  });

  test('a refusal of the host is a TypeError with its code and message, and without host objects', async () => {
    expect(
      await realm.value(
        `const tell = (e) => [e.name, e.code, e.message, Reflect.ownKeys(e).filter((k) => k !== 'stack'), Object.getPrototypeOf(e) === TypeError.prototype, e.stack];
       return [await fetch('https://x.test/denied').catch(tell), await fetch('https://x.test/gone').catch(tell), await (await fetch('https://x.test/breaks')).text().catch(tell)]`,
        granted,
      ),
    ).toEqual([
      [
        'TypeError',
        'NETWORK_DENIED',
        'demo may not connect to evil.test:443',
        ['message', 'code'],
        true,
        '',
      ],
      ['TypeError', 'NETWORK_FAILED', 'nothing at /gone', ['message', 'code'], true, ''],
      ['TypeError', 'NETWORK_FAILED', 'the server hung up', ['message', 'code'], true, ''],
    ]);
  });

  test('a response is an object of the compartment, and its class cannot be changed', async () => {
    expect(
      await realm.value(
        `const r = await fetch('https://x.test/json'); const proto = Object.getPrototypeOf(r); const tries = [() => { proto.json = () => 'forged' }, () => { Object.getPrototypeOf(r.headers).get = 1 }, () => { Object.getPrototypeOf(proto).text = 1 }, () => { Object.getPrototypeOf(r.headers.entries()).next = 1 }, () => { Object.getPrototypeOf(AbortSignal.abort().reason).message = 1 }, () => { Object.getPrototypeOf(r.body.getReader()).read = 1 }];
       return [proto === Response.prototype, tries.map((f) => { try { f(); return 'changed' } catch (e) { return e.name } })]`,
        granted,
      ),
    ).toEqual([true, Array.from({ length: 6 }, () => 'TypeError')]);
  });

  test('JSON of a response has the prototypes of the compartment', async () => {
    expect(
      await realm.value(
        `const v = await (await fetch('https://x.test/json')).json(); return [v.answer, v.polluted === undefined, ({}).polluted === undefined]`,
        granted,
      ),
    ).toEqual([42, true, true]);
  });

  test('fetch works without a receiver and is not a constructor', async () => {
    expect(
      await realm.value(
        `const { fetch: f } = globalThis; const r = await Reflect.apply(f, null, ['https://x.test/text']); let e; try { new fetch('x') } catch (x) { e = x.name } return [r.status, e, f.name, 'prototype' in f]`,
        granted,
      ),
    ).toEqual([200, 'TypeError', 'fetch', false]);
  });
});
