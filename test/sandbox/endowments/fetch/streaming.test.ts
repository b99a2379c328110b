import { describe, expect, test } from 'vitest';
import { useRealm } from '../realm/realm.js';

const realm = useRealm();
const granted = { grant: { network: true } };

describe('streamed bodies', () => {
  test('a large body arrives no faster than it is read', async () => {
    const { value, host } = await realm.run(
      `const r = await fetch('https://x.test/big?chunks=400'); const reader = r.body.getReader(); const first = (await reader.read()).value.length; await tools.sleep(30); await reader.cancel(); await tools.sleep(10); return first`,
      granted,
    );
    expect(value).toBe(64 * 1024);
    const sent = Number(/after (\d+) chunks/.exec(host.at(-1) ?? '')?.[1]);
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(16);
    expect(
      await realm.value(
        `return (await (await fetch('https://x.test/big?chunks=30')).arrayBuffer()).byteLength`,
        granted,
      ),
    ).toBe(30 * 64 * 1024);
  });

  test('a large upload is produced no faster than the host takes it', async () => {
    const { value } = await realm.run(
      `let made = 0; let reason; const s = new ReadableStream({ pull(c) { made++; c.enqueue(new Uint8Array(64 * 1024)) }, cancel(r) { reason = r } });
     const r = await fetch('https://x.test/upload-first-chunk', { method: 'POST', body: s }); const text = await r.text(); await tools.sleep(20); return [text, made < 16, reason instanceof TypeError]`,
      granted,
    );
    expect(value).toEqual(['65536', true, true]);
  });

  test('fetch throws the error of an upload, and the host gets a neutral error', async () => {
    expect(
      await realm.value(
        `const boom = new RangeError('boom'); const s = new ReadableStream({ pull() { throw boom } });
       const odd = new ReadableStream({ pull(c) { c.enqueue('text') } });
       return [await fetch('https://x.test/echo', { method: 'POST', body: s }).catch((e) => e === boom), await fetch('https://x.test/echo', { method: 'POST', body: odd }).catch((e) => e.message)]`,
        granted,
      ),
    ).toEqual([true, 'The stream of a body gives something else than bytes']);
  });

  test('a body over the limit is refused', async () => {
    expect(
      (
        await realm.failure(`await (await fetch('https://x.test/big?chunks=3')).text()`, {
          ...granted,
          limits: { maxBodyBytes: 100_000 },
        })
      ).code,
    ).toBe('NETWORK_LIMIT');
  });

  test('fetches over the limit wait in a queue', async () => {
    const { value, host } = await realm.run(
      `return (await Promise.all(Array.from({ length: 10 }, () => fetch('https://x.test/slow').then((r) => r.status)))).length`,
      granted,
    );
    expect(value).toBe(10);
    let waiting = 0;
    const most = host.map((note) => (waiting += note === 'GET /slow' ? 1 : -1));
    expect(Math.max(...most)).toBe(4);
  });

  test('responses with unread bodies do not block later fetches', async () => {
    expect(
      await realm.value(
        `const all = await Promise.all(Array.from({ length: 12 }, () => fetch('https://x.test/text'))); return (await all[11].text()).length`,
        granted,
      ),
    ).toBe(12);
  });

  test('the host’s stream is cancelled when its body is garbage', async () => {
    const { value, host } = await realm.run(
      `await (async () => { for (let i = 0; i < 3; i++) (await fetch('https://x.test/stalls')).status })();
     for (let i = 0; i < 20 && tools.notes().filter((n) => n.startsWith('body cancelled')).length < 3; i++) { await tools.sleep(5); tools.collect() }
     const text = (async () => (await fetch('https://x.test/big?chunks=20')).arrayBuffer())(); for (let i = 0; i < 5; i++) { tools.collect(); await tools.sleep(1) } return (await text).byteLength`,
      granted,
    );
    expect(host.filter((note) => note === 'body cancelled: unread')).toHaveLength(3);
    expect(value).toBe(20 * 64 * 1024);
  });

  test('later writes of the plugin do not change sent bytes', async () => {
    expect(
      await realm.value(
        `const bytes = new Uint8Array([65, 65]); const asked = fetch('https://x.test/echo', { method: 'POST', body: bytes }); bytes.fill(66);
       const chunk = new Uint8Array([67]); const s = new ReadableStream({ pull(c) { c.enqueue(chunk); c.close(); setTimeout(() => chunk.fill(68), 1) } });
       const piped = await (await fetch('https://x.test/echo', { method: 'POST', body: s })).json(); return [(await (await asked).json()).body, piped.body]`,
        granted,
      ),
    ).toEqual(['AA', 'C']);
  });
});
