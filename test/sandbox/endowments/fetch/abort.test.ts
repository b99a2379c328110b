import { describe, expect, test } from 'vitest';
import { useRealm } from '../realm/realm.js';

const realm = useRealm();
const granted = { grant: { network: true } };

describe('an aborted fetch', () => {
  test('an abort before the request: the host gets no request', async () => {
    const { value, host } = await realm.run(
      `return [await fetch('https://x.test/text', { signal: AbortSignal.abort() }).catch((e) => e.name), await fetch(new Request('https://x.test/text', { signal: AbortSignal.abort('mine') })).catch((e) => e)]`,
      granted,
    );
    expect(value).toEqual(['AbortError', 'mine']);
    expect(host).toEqual([]);
  });

  test('an abort while the host works rejects at once and cancels the request', async () => {
    const { value, host } = await realm.run(
      `const c = new AbortController(); const p = fetch('https://x.test/hangs', { signal: c.signal }).catch((e) => e); await tools.sleep(10); c.abort(); const e = await p; await tools.sleep(10);
     const t = await fetch('https://x.test/hangs', { signal: AbortSignal.timeout(5) }).catch((e) => e.name); await tools.sleep(10); return [e === c.signal.reason, e.name, t]`,
      granted,
    );
    expect(value).toEqual([true, 'AbortError', 'TimeoutError']);
    expect(host).toEqual([
      'GET /hangs',
      'cancel /hangs: aborted',
      'GET /hangs',
      'cancel /hangs: aborted',
    ]);
  });

  test('an abort in the queue leaves the queue, and the body of a late answer is cancelled', async () => {
    const { value, host } = await realm.run(
      `const c = new AbortController(); const all = Array.from({ length: 6 }, () => fetch('https://x.test/late', { signal: c.signal }).catch((e) => e.name)); await tools.until(() => tools.notes().length === 4); c.abort(); const names = await Promise.all(all);
     await tools.until(() => tools.notes().filter((n) => n === 'body cancelled: aborted').length === 4); return [names, (await fetch('https://x.test/text')).status]`,
      granted,
    );
    expect(value).toEqual([Array.from({ length: 6 }, () => 'AbortError'), 200]);
    expect(host.filter((note) => note === 'GET /late')).toHaveLength(4);
    expect(host.filter((note) => note === 'body cancelled: aborted')).toHaveLength(4);
  });

  test('an abort while the body arrives fails the read and cancels the body with the host', async () => {
    const { value, host } = await realm.run(
      `const c = new AbortController(); const r = await fetch('https://x.test/stalls', { signal: c.signal }); const reader = r.body.getReader(); await reader.read(); const pending = reader.read().catch((e) => e); c.abort('stop'); const e = await pending; const later = await reader.read().catch((e) => e); await tools.sleep(10); return [e, later]`,
      granted,
    );
    expect(value).toEqual(['stop', 'stop']);
    expect(host.at(-1)).toBe('body cancelled: aborted');
  });

  test('an abort while the body is sent cancels the plugin’s stream', async () => {
    expect(
      await realm.value(
        `const c = new AbortController(); let reason; const s = new ReadableStream({ pull() { return new Promise(() => {}) }, cancel(r) { reason = r } });
       const p = fetch('https://x.test/echo', { method: 'POST', body: s, signal: c.signal }).catch((e) => e); await tools.sleep(10); c.abort('stop'); return [await p, reason]`,
        granted,
      ),
    ).toEqual(['stop', 'stop']);
  });

  test('an abort after the end changes nothing', async () => {
    const { value, host } = await realm.run(
      `const c = new AbortController(); const r = await fetch('https://x.test/text', { signal: c.signal }); const text = await r.text(); c.abort(); await tools.sleep(10); return text`,
      granted,
    );
    expect(value).toBe('hello, wörld');
    expect(host).toEqual(['GET /text']);
  });

  test('a revocation stops open requests and refuses later ones', async () => {
    const { value, host } = await realm.run(
      `const f = fetch; const r = await f('https://x.test/stalls'); const hanging = f('https://x.test/hangs').catch((e) => e.code); await tools.sleep(5); tools.revoke('network');
     const out = [await hanging, await r.text().catch((e) => e.code), await f('https://x.test/text').catch((e) => [e.code, e.message])]; await tools.sleep(10); return out`,
      granted,
    );
    expect(value).toEqual([
      'PERMISSION_REVOKED',
      'PERMISSION_REVOKED',
      [
        'PERMISSION_REVOKED',
        'demo may no longer use the network (https://x.test/text): the permission was revoked.',
      ],
    ]);
    expect(host).toEqual([
      'GET /stalls',
      'GET /hangs',
      'body cancelled: aborted',
      'cancel /hangs: aborted',
    ]);
  });
});
