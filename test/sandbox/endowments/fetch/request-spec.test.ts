import { describe, expect, test } from 'vitest';
import { useRealm } from '../realm/realm.js';

const realm = useRealm();
const granted = { grant: { network: true } };

describe('the arguments of fetch', () => {
  test('the URL is read once, so the checked URL is the sent URL', async () => {
    const { value, host } = await realm.run(
      `let n = 0; const url = { toString: () => (n++ ? 'http://127.0.0.1/secret' : 'https://x.test/text') };
     const text = await (await fetch(url)).text(); const u = new URL('https://x.test/text'); u.toString = () => 'https://x.test/none'; Object.defineProperty(u, 'href', { get: () => 'http://127.0.0.1/' });
     return [n, text, (await fetch(u)).status]`,
      granted,
    );
    expect(value).toEqual([1, 'hello, wörld', 204]);
    expect(host).toEqual(['GET /text', 'GET /none']);
  });

  test('of init only method, headers, body, redirect and signal are read, each once', async () => {
    const { value } = await realm.run(
      `const read = []; const init = new Proxy({ method: 'post', body: 'b', headers: { a: '1' }, redirect: 'manual' }, { get(t, k) { read.push(k); return t[k] }, has() { read.push('has'); return true }, ownKeys() { read.push('keys'); return [] } });
     const sent = await (await fetch('https://x.test/echo', init)).json();
     const loud = await (await fetch('https://x.test/echo', { dispatcher: { dispatch() { throw 1 } }, unix: '/var/run/docker.sock', proxy: 'http://127.0.0.1', tls: {}, agent: {}, credentials: 'include' })).json();
     return [read.sort(), sent, loud.params]`,
      granted,
    );
    expect(value).toEqual([
      ['body', 'headers', 'method', 'redirect', 'signal'],
      {
        method: 'POST',
        headers: [
          ['a', '1'],
          ['content-type', 'text/plain;charset=UTF-8'],
        ],
        redirect: 'manual',
        bodyBytes: 1,
        body: 'b',
        params: ['url', 'method', 'headers', 'redirect', 'body', 'bodyBytes'],
      },
      ['url', 'method', 'headers', 'redirect'],
    ]);
  });

  test('bodies of every kind are sent, with their content type', async () => {
    const sent = await realm.value(
      `const echo = async (body, headers) => { const r = await (await fetch('https://x.test/echo', { method: 'POST', body, headers })).json(); return [r.body, r.headers.find(([n]) => n === 'content-type')?.[1] ?? null, r.bodyBytes ?? null] };
     const f = new FormData(); f.append('a', 'x\\ny'); f.append('b"', new Blob(['data'], { type: 'text/css' }), 'n.css');
     const stream = new ReadableStream({ start(c) { c.enqueue(new Uint8Array([65])); c.enqueue(new Uint8Array([66, 67])); c.close() } });
     const view = new Uint8Array([1, 65, 66, 2]).subarray(1, 3);
     return [await echo('text'), await echo(new URLSearchParams({ q: 'a b' })), await echo(view), await echo(view.buffer), await echo(new Blob(['blob'], { type: 'X/Y' })), await echo(stream), await echo(f), await echo({ toString: () => 'obj' }), await echo('{}', { 'Content-Type': 'application/json' }), await echo(new DataView(view.buffer, 1, 1)), await echo('')]`,
      granted,
    );
    const boundary = '----BulkheadFormBoundary0';
    const form = `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\ny\r\n--${boundary}\r\nContent-Disposition: form-data; name="b%22"; filename="n.css"\r\nContent-Type: text/css\r\n\r\ndata\r\n--${boundary}--\r\n`;
    expect(sent).toEqual([
      ['text', 'text/plain;charset=UTF-8', 4],
      ['q=a+b', 'application/x-www-form-urlencoded;charset=UTF-8', 5],
      ['AB', null, 2],
      ['\u0001AB\u0002', null, 4],
      ['blob', 'x/y', 4],
      ['ABC', null, null],
      [form, `multipart/form-data; boundary=${boundary}`, form.length],
      ['obj', 'text/plain;charset=UTF-8', 3],
      ['{}', 'application/json', 2],
      ['A', null, 1],
      ['', 'text/plain;charset=UTF-8', 0],
    ]);
  });

  test('invalid requests are refused in the guest', async () => {
    const calls = [
      'fetch("nope")',
      'fetch("https://u:p@x.test/")',
      'fetch("https://x.test", { method: "CONNECT" })',
      'fetch("https://x.test", { method: "a b" })',
      'fetch("https://x.test", { body: "x" })',
      'fetch("https://x.test", { redirect: "maybe" })',
      'fetch("https://x.test", { signal: {} })',
      'fetch("https://x.test", 5)',
      'fetch("https://x.test", { headers: { "a b": "c" } })',
      'fetch("https://x.test", { headers: { a: "b\\nc" } })',
      'fetch("https://x.test", { headers: { a: "✓" } })',
      'fetch("https://x.test", { headers: [["a"]] })',
      'fetch(Symbol())',
    ];
    for (const call of calls) {
      const { failure, host } = await realm.run(
        `const p = ${call}; if (!(p instanceof Promise)) throw new Error('sync'); await p`,
        granted,
      );
      expect(failure?.name).toBe('TypeError');
      expect(host).toEqual([]);
    }
  });
});
