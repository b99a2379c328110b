import { describe, expect, test } from 'vitest';
import { useRealm } from '../realm/realm.js';

const realm = useRealm();
const granted = { grant: { network: true } };

describe('bodies of requests and responses', () => {
  test('a body is read once, in any of its forms', async () => {
    expect(
      await realm.value(
        `const make = () => new Response('{"a":"é"}', { headers: { 'content-type': 'Text/X' } }); const blob = await make().blob();
       const r = make(); const bytes = await r.bytes(); const again = await r.text().catch((e) => e.message);
       return [await make().text(), await make().json(), (await make().arrayBuffer()).byteLength, [bytes.length, bytes.constructor === Uint8Array], [blob.size, blob.type], r.bodyUsed, again, await new Response().text(), new Response().body,
         await new Response(new Uint8Array([239, 187, 191, 65])).text(), await new Response('x').json().catch((e) => e.name)]`,
        granted,
      ),
    ).toEqual([
      '{"a":"é"}',
      { a: 'é' },
      10,
      [10, true],
      [10, 'text/x'],
      true,
      'The body has been read already',
      '',
      null,
      'A',
      'SyntaxError',
    ]);
  });

  test('a response is made as the standard says, or refused', async () => {
    expect(
      await realm.value(
        `const r = new Response('x', { status: 201, statusText: 'Made', headers: [['a', 'b']] }); const j = Response.json({ a: [1] }, { status: 418 }); const d = Response.redirect('https://a.test/x', 301); const e = Response.error();
       const tell = (f) => { try { f(); return 'made' } catch (x) { return x.name } };
       return [[r.status, r.statusText, r.ok, r.type, r.headers.get('a'), r.headers.get('content-type')], [j.status, j.ok, j.headers.get('content-type'), await j.json()], [d.status, d.headers.get('location')], [e.type, e.status, e.ok],
         [() => new Response('', { status: 199 }), () => new Response('', { status: 600 }), () => new Response('x', { status: 204 }), () => new Response(null, { status: 204 }), () => new Response('', { statusText: 'a\\nb' }), () => Response.json(() => {}), () => Response.redirect('nope'), () => Response.redirect('https://a.test', 200)].map(tell)]`,
        granted,
      ),
    ).toEqual([
      [201, 'Made', true, 'default', 'b', 'text/plain;charset=UTF-8'],
      [418, false, 'application/json', { a: [1] }],
      [301, 'https://a.test/x'],
      ['error', 0, false],
      [
        'RangeError',
        'RangeError',
        'TypeError',
        'made',
        'TypeError',
        'TypeError',
        'TypeError',
        'RangeError',
      ],
    ]);
  });

  test('a clone has its own body, even while the body arrives', async () => {
    expect(
      await realm.value(
        `const a = new Response('one'); const b = a.clone(); const r = await fetch('https://x.test/big?chunks=3'); const c = r.clone(); const chunk = (await r.body.getReader().read()).value; chunk.fill(99);
       const whole = new Uint8Array(await c.arrayBuffer()); const used = new Response('x'); await used.text(); const late = (() => { try { used.clone() } catch (e) { return e.name } })(); const empty = new Response(null, { status: 204 }).clone();
       return [await a.text(), await b.text(), whole.length, whole[0], whole[65536], c.url, c.status, late, empty.status]`,
        granted,
      ),
    ).toEqual(['one', 'one', 196608, 1, 2, 'https://x.test/big?chunks=3', 200, 'TypeError', 204]);
  });

  test('a body read through its stream is used, and a locked one cannot be read', async () => {
    expect(
      await realm.value(
        `const r = new Response('abc'); const s = r.body; const same = r.body === s; const reader = s.getReader(); const locked = await r.text().catch((e) => e.name); const { value } = await reader.read();
       const t = new Response('abc'); await t.text(); const spent = t.body; const end = await spent.getReader().read();
       let text = ''; for await (const chunk of new Response('é'.repeat(5)).body) text += new TextDecoder().decode(chunk);
       return [same, locked, [...value], r.bodyUsed, t.body === spent, end.done, text]`,
        granted,
      ),
    ).toEqual([true, 'TypeError', [97, 98, 99], true, true, true, 'ééééé']);
  });

  test('a request has the values that it was made from, and fetch uses its body', async () => {
    expect(
      await realm.value(
        `const r = new Request('https://x.test/echo', { method: 'put', body: 'b', headers: { a: '1' } }); const c = r.clone(); const d = new Request(c, { method: 'POST', headers: { b: '2' } });
       const sent = await (await fetch(r)).json(); const again = await fetch(r).catch((e) => e.name); const s = await (await fetch(d)).json();
       const stream = new Request('https://x.test/echo', { method: 'POST', body: new ReadableStream({ start(k) { k.enqueue(new Uint8Array([65])); k.close() } }), duplex: 'half' }); const moved = new Request(stream); const t = await (await fetch(moved)).json();
       const g = new Request('https://x.test/text'); return [r.method, r.url, r.redirect, r.bodyUsed, c.bodyUsed, sent.body, sent.method, again, s.body, s.method, s.headers, t.body, stream.bodyUsed, g.body, g.signal instanceof AbortSignal, g.signal === g.signal, [g.mode, g.cache, g.credentials], await (await fetch(g)).text(), (await fetch(g)).ok]`,
        granted,
      ),
    ).toEqual([
      'PUT',
      'https://x.test/echo',
      'follow',
      true,
      true,
      'b',
      'PUT',
      'TypeError',
      'b',
      'POST',
      [['b', '2']],
      'A',
      true,
      null,
      true,
      true,
      ['cors', 'default', 'same-origin'],
      'hello, wörld',
      true,
    ]);
  });

  test('the headers of a request may change until it is sent', async () => {
    expect(
      await realm.value(
        `const r = new Request('https://x.test/echo'); r.headers.set('late', '1'); return (await (await fetch(r)).json()).headers`,
        granted,
      ),
    ).toEqual([['late', '1']]);
  });

  test('forms are read from both of their encodings', async () => {
    expect(
      await realm.value(
        `const f = await (await fetch('https://x.test/form')).formData(); const file = f.get('f'); const u = await new Response(new URLSearchParams('a=1&a=2')).formData();
       const g = new FormData(); g.append('t', 'x'); g.append('bin', new File([new Uint8Array([0, 255, 13, 10])], 'b.bin')); const back = await new Response(g).formData();
       return [f.get('a'), file.name, file.type, file.size, u.getAll('a'), back.get('t'), [...await back.get('bin').bytes()], await new Response('x').formData().catch((e) => e.name), await new Response('junk', { headers: { 'content-type': 'multipart/form-data; boundary=q' } }).formData().catch((e) => e.name)]`,
        granted,
      ),
    ).toEqual([
      '1',
      'f.txt',
      'text/plain',
      0,
      ['1', '2'],
      'x',
      [0, 255, 13, 10],
      'TypeError',
      'TypeError',
    ]);
  });

  test('a form whose content holds its boundary gets another one', async () => {
    expect(
      await realm.value(
        `const f = new FormData(); f.append('a', '--' + '----BulkheadFormBoundary0'); f.append('----BulkheadFormBoundary1', 'x'); const r = new Response(f); const type = r.headers.get('content-type'); const back = await r.formData(); return [type, [...back.keys()]]`,
        granted,
      ),
    ).toEqual([
      'multipart/form-data; boundary=----BulkheadFormBoundary2',
      ['a', '----BulkheadFormBoundary1'],
    ]);
  });

  test('FormData has all the methods of the standard', async () => {
    expect(
      await realm.value(
        `const f = new FormData(); f.append('a', 1); f.append('b', new Blob(['x'])); f.append('a', 2); f.append('c', new File(['y'], 'y.txt'), 'z.txt'); f.set('a', 3); const seen = []; f.forEach((v, k, all) => seen.push(k, all === f)); const names = [...f.keys()]; f.delete('b');
       const tell = (g) => { try { g() } catch (e) { return e.name } };
       return [f.get('a'), f.getAll('a'), f.has('b'), names, f.get('c').name, seen, [...f].length, [...f.values()].length, f.get('zz'), tell(() => f.append('a', 'b', 'c')), tell(() => f.append('a')), tell(() => new FormData({}))]`,
        granted,
      ),
    ).toEqual([
      '3',
      ['3'],
      false,
      ['a', 'b', 'c'],
      'z.txt',
      ['a', true, 'b', true, 'c', true],
      2,
      2,
      null,
      'TypeError',
      'TypeError',
      'TypeError',
    ]);
  });

  test('blobs and files contain copies of their parts', async () => {
    expect(
      await realm.value(
        `const bytes = new Uint8Array([65, 66]); const b = new Blob(['a', bytes, new Blob(['c']), bytes.buffer, { toString: () => 'o' }], { type: 'Text/Plain' }); bytes.fill(0); const s = b.slice(1, -1, 'x/y'); const given = await b.bytes(); given.fill(0);
       const f = new File(['x'], 'n.txt', { type: 'é', lastModified: 5 }); const tell = (g) => { try { g() } catch (e) { return e.name } };
       let streamed = ''; for await (const c of b.stream()) streamed += new TextDecoder().decode(c);
       return [b.size, b.type, await b.text(), s.size, s.type, await s.text(), streamed, (await b.arrayBuffer()).byteLength, f.name, f.type, f.lastModified, new File([], 'x').lastModified, f instanceof Blob, tell(() => new Blob('text')), tell(() => new Blob(5)), tell(() => new File([])), tell(() => Object.getOwnPropertyDescriptor(File.prototype, 'name').get.call(b))]`,
        granted,
      ),
    ).toEqual([
      7,
      'text/plain',
      'aABcABo',
      5,
      'x/y',
      'ABcAB',
      'aABcABo',
      7,
      'n.txt',
      '',
      5,
      0,
      true,
      'TypeError',
      'TypeError',
      'TypeError',
      'TypeError',
    ]);
  });

  test('the methods of bodies refuse other objects', async () => {
    expect(
      await realm.value(
        `const text = Response.prototype.text; const fakes = [{}, Object.create(Response.prototype), new Proxy(new Response('x'), {}), null]; const Body = Object.getPrototypeOf(Response); return [await Promise.all(fakes.map((x) => text.call(x).catch((e) => e.name))), await new Body().text().catch((e) => e.name)]`,
        granted,
      ),
    ).toEqual([Array.from({ length: 4 }, () => 'TypeError'), 'TypeError']);
  });
});
