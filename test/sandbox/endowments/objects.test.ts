import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();

const everything = {
  time: true,
  random: true,
  network: true,
  fs: [],
  env: { KEY: 'value' },
  storage: true,
  powers: ['notes'],
};

describe('the globals of a compartment', () => {
  test('the walk finds a platform object, and one that is not frozen', async () => {
    const report = await realm.value('return 1', { inspect: 'control' });
    expect(report).toMatchObject({
      platform: expect.arrayContaining(['control.0.[[Prototype]]', 'control.1.[[Prototype]]']),
      unfrozen: expect.arrayContaining(['control.0.[[Prototype]]']),
    });
  });

  test('everything reachable from the globals is frozen and none of it is the platform’s', async () => {
    for (const grant of [{}, everything]) {
      const report = await realm.value('return 1', { grant, inspect: 'objects' });
      expect(report).toMatchObject({ unfrozen: [], platform: [] });
    }
  });

  /** One of everything that an endowment makes, returns or throws. */
  const makers: Readonly<Record<string, string>> = {
    timers: `const t = setTimeout(() => {}, 1); const i = setInterval(() => {}, 1); clearInterval(i);
    return [t, i, t.ref(), t.refresh()]`,
    url: `const u = new URL('https://a.test/?b=c'); let e; try { new URL('x') } catch (x) { e = x }
    return [u, u.searchParams, u.searchParams.entries(), u.searchParams.keys().next(), URL.parse('a:b'), e]`,
    text: `const errors = [];
    for (const f of [() => new TextDecoder('no'), () => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])), () => atob('!'), () => btoa('✓')])
      try { f() } catch (e) { errors.push(e) }
    const d = new TextDecoder(); d.decode(new Uint8Array([65]), { stream: true });
    return [errors, d, new TextEncoder(), new TextEncoder().encode('x'), new TextEncoder().encode('x').buffer]`,
    abort: `const c = new AbortController(); const seen = [];
    c.signal.addEventListener('abort', (e) => seen.push(e, e.composedPath())); c.signal.onabort = (e) => seen.push(e);
    c.abort(); const own = tools.signal(); own.abort('why'); let e; try { new AbortSignal() } catch (x) { e = x }
    return [c, c.signal, c.signal.reason, seen, AbortSignal.any([c.signal]), AbortSignal.timeout(5), AbortSignal.abort(), own.signal, own.signal.reason, e, new Event('x'), new EventTarget()]`,
    clone: `let e; try { structuredClone(() => {}) } catch (x) { e = x }
    return [e, structuredClone({ a: [new Map([[1, new Set([2])]]), new Date(0), /x/g, new Error('x'), new Uint8Array(2), new ArrayBuffer(2), Object(1n)] })]`,
    time: `return [new Date(), new Intl.DateTimeFormat(), Intl.DateTimeFormat().format, Intl.DateTimeFormat().formatToParts(0), new Intl.Segmenter().segment('a b'), new Intl.Segmenter().segment('a b')[Symbol.iterator](), new Intl.NumberFormat(), new Intl.Locale('en'), new Intl.Collator(), performance]`,
    denials: `const errors = [];
    for (const f of [() => Date.now(), () => new Date(), () => Date(), () => Math.random()]) try { f() } catch (e) { errors.push(e) }
    return errors`,
    fs: `const errors = []; for (const p of ['missing', 'secret', 'big', 1]) await readFile(p).catch((e) => errors.push(e));
    return [readFile('a'), await readFile('a'), errors]`,
    responses: `const r = await fetch('https://x.test/text'); const c = r.clone(); const reader = c.body.getReader();
    const chunk = await reader.read(); reader.releaseLock();
    return [r, r.headers, r.headers.entries(), r.body, c.body.values(), reader, reader.closed.catch((e) => e), chunk, chunk.value.buffer,
      await r.arrayBuffer(), await (await fetch('https://x.test/text')).blob(), await (await fetch('https://x.test/form')).formData(), await (await fetch('https://x.test/json')).json()]`,
    refusals: `const errors = []; const c = AbortSignal.abort();
    for (const f of [() => fetch('https://x.test/denied'), () => fetch('https://x.test/gone'), () => fetch('no'), () => fetch('https://x.test/text', { signal: c }),
      async () => (await fetch('https://x.test/breaks')).text(), async () => (await fetch('https://x.test/text')).json(), async () => { (await fetch('https://x.test/text')).headers.set('a', 'b') }])
      await f().catch((e) => errors.push(e));
    return errors`,
    streams: `let k; const s = new ReadableStream({ start(c) { k = c; c.enqueue(1) } }); const [a, b] = s.tee();
    const f = new FormData(); f.append('f', new File(['x'], 'n')); const it = a[Symbol.asyncIterator]();
    return [s, k, a, b, it, await it.next(), ReadableStream.from([1]), f, f.get('f'), f.entries(), new Request('https://a.test', { method: 'POST', body: f }), new Request('https://a.test').signal, new Response(f).body, Response.error(), Response.redirect('https://a.test'), new Blob(['x']).stream(), new Blob(['x']).slice(0)]`,
  };

  test.each(Object.entries(makers))(
    'nothing of %s that code is given or thrown leads to the platform or can be changed for others',
    async (name, code) => {
      const report = await realm.value(code, {
        grant: name === 'denials' ? {} : everything,
        inspect: 'objects',
      });
      expect(report).toMatchObject({ unfrozen: [], platform: [] });
    },
  );

  test('no global leads to an evaluator outside the compartment', async () => {
    const found = await realm.value(
      `const seen = new Set(); const queue = [globalThis]; const results = [];
     while (queue.length) {
       const o = queue.shift();
       if ((typeof o !== 'object' && typeof o !== 'function') || o === null || seen.has(o)) continue;
       seen.add(o);
       queue.push(Object.getPrototypeOf(o));
       for (const k of Reflect.ownKeys(o)) { const d = Reflect.getOwnPropertyDescriptor(o, k); queue.push(d.value, d.get, d.set) }
     }
     for (const o of seen) if (typeof o === 'function' && o.constructor && /Function$/.test(o.constructor.name)) {
       try { const f = o.constructor('return typeof process'); results.push(f()) } catch (e) { }
     }
     results.push(Function('return typeof process + typeof require')());
     return [[...new Set(results)], seen.size > 300]`,
      { grant: everything },
    );
    // The constructors that functions lead to evaluate nothing; the global one, inside only.
    expect(found).toEqual([['undefinedundefined'], true]);
  });

  test('the time stamp of an event is not a clock', async () => {
    expect(
      await realm.value(`return [new Event('a').timeStamp, performance.timeOrigin > 0]`, {
        grant: everything,
      }),
    ).toEqual([0, true]);
    expect(await realm.value(`return new Event('a').timeStamp`)).toBe(0);
  });
});
