import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();

/** Runs the same code here, on Node's own classes. */
async function onNode(code: string): Promise<unknown> {
  const run: unknown = new Function(`return (async () => {${code}\n})()`);
  const value: unknown = typeof run === 'function' ? await run() : undefined;
  return JSON.parse(JSON.stringify(value));
}

const programs: Readonly<Record<string, string>> = {
  'a body is read without network': `
    const r = new Response(JSON.stringify({ a: 1 }), { headers: { 'content-type': 'application/json' } });
    return [await r.json(), new Request('https://a.example/b', { method: 'POST', body: 'x' }).method, await new Blob(['a', 'b']).text(), new Headers([['A', 'b']]).get('a')]`,
  'a transform changes chunks': `
    const out = []; const upper = new TransformStream({ transform(c, k) { k.enqueue(c.toUpperCase()) }, flush(k) { k.enqueue('end') } });
    for await (const c of ReadableStream.from(['a', 'b']).pipeThrough(upper)) out.push(c);
    return out`,
  'a transform without a function passes chunks on': `
    const t = new TransformStream(); const w = t.writable.getWriter(); const writing = w.write(1).then(() => w.close());
    const out = []; for await (const c of t.readable) out.push(c); await writing; return out`,
  'a sink gets chunks in order, and the close': `
    const log = []; const sink = new WritableStream({ start() { log.push('start') }, async write(c) { await null; log.push(c) }, close() { log.push('close') } });
    const w = sink.getWriter(); w.write(1); w.write(2); await w.close(); await w.closed; return [log, sink.locked]`,
  'a sink that fails fails the writer': `
    const sink = new WritableStream({ write() { throw new RangeError('full') } }); const w = sink.getWriter();
    const first = await w.write(1).catch((e) => e.name); const second = await w.write(2).catch((e) => e.name); const closed = await w.closed.catch((e) => e.name);
    return [first, second, closed]`,
  'abort reaches the sink': `
    let why; const sink = new WritableStream({ abort(r) { why = r } }); await sink.abort('enough');
    return [why, await sink.getWriter().write(1).catch((e) => e)]`,
  'pressure is visible to the writer': `
    let go; const sink = new WritableStream({ write: () => new Promise((r) => { go = r }) }, { highWaterMark: 2 }); const w = sink.getWriter();
    const sizes = [w.desiredSize]; w.write(1); sizes.push(w.desiredSize); w.write(2); sizes.push(w.desiredSize);
    let ready = false; w.ready.then(() => { ready = true }); await null; sizes.push(ready);
    await new Promise((r) => setTimeout(r, 5)); go(); await w.ready; sizes.push(w.desiredSize); return sizes`,
  'pipeTo ends with the source and closes the sink': `
    const got = []; let closed = false;
    await ReadableStream.from([1, 2, 3]).pipeTo(new WritableStream({ write(c) { got.push(c) }, close() { closed = true } }));
    return [got, closed]`,
  'pipeTo passes on the error of the source': `
    let aborted; const source = new ReadableStream({ pull() { throw new TypeError('lost') } });
    const name = await source.pipeTo(new WritableStream({ abort(r) { aborted = r.name } })).catch((e) => e.name);
    return [name, aborted, source.locked]`,
  'pipeTo passes on the error of the sink': `
    let cancelled; const source = new ReadableStream({ pull(c) { c.enqueue(1) }, cancel(r) { cancelled = r.name } });
    const name = await source.pipeTo(new WritableStream({ write() { throw new RangeError('full') } })).catch((e) => e.name);
    return [name, cancelled]`,
  'pipeTo obeys a signal': `
    const end = new AbortController(); const source = new ReadableStream({ pull() { return new Promise(() => {}) } });
    const piping = source.pipeTo(new WritableStream(), { signal: end.signal }).catch((e) => e.name); end.abort(); return piping`,
  'a transform that throws fails both sides': `
    const t = new TransformStream({ transform() { throw new RangeError('bad') } }); const w = t.writable.getWriter(); const r = t.readable.getReader();
    const read = r.read().catch((e) => e.name); const wrote = await w.write(1).catch((e) => e.name); return [await read, wrote]`,
  'terminate closes the output': `
    const t = new TransformStream({ transform(c, k) { k.enqueue(c); k.terminate() } }); const w = t.writable.getWriter(); w.write(1).catch(() => {}); w.closed.catch(() => {});
    const out = []; for await (const c of t.readable) out.push(c); return out`,
  'texts are encoded and decoded across chunks': `
    const bytes = new TextEncoder().encode('aä€😀'); const parts = [...bytes].map((b) => new Uint8Array([b])); let text = '';
    for await (const t of ReadableStream.from(parts).pipeThrough(new TextDecoderStream())) text += t;
    const out = []; for await (const b of ReadableStream.from(['\\ud83d', '\\ude00', 'x']).pipeThrough(new TextEncoderStream())) out.push(...b);
    return [text, out]`,
  'a channel carries copies in order': `
    const { port1, port2 } = new MessageChannel(); const got = [];
    const sent = { n: 1 }; const done = new Promise((r) => { port2.onmessage = (e) => { got.push(e.data); if (got.length === 2) r() } });
    port1.postMessage(sent); sent.n = 2; port1.postMessage(sent); await done; port1.close(); return got`,
  'a channel refuses what cannot be cloned': `
    try { new MessageChannel().port1.postMessage(() => 1); return 'sent' } catch (e) { return e.name }`,
  'a custom event has a detail': `
    const t = new EventTarget(); let got; t.addEventListener('x', (e) => { got = [e.detail, e.type, e instanceof Event] }); t.dispatchEvent(new CustomEvent('x', { detail: 7 })); return got`,
  'strategies count': `
    return [new CountQueuingStrategy({ highWaterMark: 3 }).size('abc'), new ByteLengthQueuingStrategy({ highWaterMark: 3 }).size(new Uint8Array(5)), new CountQueuingStrategy({ highWaterMark: 3 }).highWaterMark]`,
};

describe('the web’s classes for data', () => {
  test.each(Object.entries(programs))('%s, as in Node, without any permission', async (_, code) => {
    expect(await realm.value(code)).toEqual(await onNode(code));
  });

  test('only fetch needs network', async () => {
    expect(await realm.value('return [typeof fetch, typeof Response]')).toEqual([
      'undefined',
      'function',
    ]);
  });

  test('after the guest is revoked a channel delivers nothing', async () => {
    const outcome = await realm.run(
      `const { port1, port2 } = new MessageChannel(); let got = 0; port2.onmessage = () => { got += 1 };
       port1.postMessage(1); tools.revoke(); await tools.sleep(20); port1.postMessage(2); await tools.sleep(20); return got`,
    );
    expect(outcome.value).toBe(0);
  });
});
