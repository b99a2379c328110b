import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();

describe('URL and URLSearchParams', () => {
  test('a URL has the parts that the platform finds', async () => {
    const href = 'https://user:pw@Example.com:8080/a/../b%20c?x=1&y=2#frag';
    const parts = [
      'href',
      'origin',
      'protocol',
      'username',
      'password',
      'host',
      'hostname',
      'port',
      'pathname',
      'search',
      'hash',
    ] as const;
    const expected = new URL(href);
    expect(
      await realm.value(
        `const u = new URL(${JSON.stringify(href)}); return ${JSON.stringify(parts)}.map((p) => u[p])`,
      ),
    ).toEqual(parts.map((part) => expected[part]));
  });

  test('relative URLs resolve, and invalid URLs are refused', async () => {
    expect(
      await realm.value(
        `let error; try { new URL('nope') } catch (e) { error = [e.name, e.message, e.code, e.input, Object.getPrototypeOf(e) === TypeError.prototype] }
       return [new URL('../x?y', 'https://a.test/b/c/d').href, String(new URL('a:b')), JSON.stringify(new URL('https://é.test/')), URL.canParse('x'), URL.canParse('x', 'a://b'), URL.parse('x'), URL.parse('https://a.test') instanceof URL, typeof URL.createObjectURL, error]`,
      ),
    ).toEqual([
      'https://a.test/b/x?y',
      'a:b',
      '"https://xn--9ca.test/"',
      false,
      true,
      null,
      true,
      'undefined',
      ['TypeError', 'Invalid URL', 'ERR_INVALID_URL', 'nope', true],
    ]);
  });

  test('assigning a part changes the URL as the platform does', async () => {
    const assignments = [
      ['protocol', 'http'],
      ['username', 'ü'],
      ['password', ':'],
      ['host', 'b.test:99'],
      ['hostname', 'c.test'],
      ['port', '443'],
      ['port', 'x'],
      ['pathname', 'p q'],
      ['search', 'a=b c'],
      ['search', ''],
      ['hash', '#h i'],
      ['hash', ''],
      ['hostname', ''],
      ['href', 'https://z.test/?q'],
    ] as const;
    const expected: string[] = [];
    const url = new URL('https://a.test/x?y#z');
    for (const [part, value] of assignments) {
      url[part] = value;
      expected.push(url.href);
    }
    expect(
      await realm.value(
        `const u = new URL('https://a.test/x?y#z'); return ${JSON.stringify(assignments)}.map(([part, value]) => { u[part] = value; return u.href })`,
      ),
    ).toEqual(expected);
  });

  test('searchParams are live in both directions and always the same object', async () => {
    expect(
      await realm.value(
        `const u = new URL('https://a.test/?a=1'); const p = u.searchParams; p.append('b', 'x y'); const seen = [u.href, u.search];
       u.search = '?c=3'; seen.push(String(p), p.size); u.href = 'https://a.test/?d=4'; seen.push(String(p)); p.delete('d'); seen.push(u.href, u.searchParams === p);
       p.set('e', 'é&'); p.append('a', '1'); p.sort(); seen.push(u.search); let thrown; try { u.searchParams = 1 } catch (e) { thrown = e.name } return [...seen, thrown]`,
      ),
    ).toEqual([
      'https://a.test/?a=1&b=x+y',
      '?a=1&b=x+y',
      'c=3',
      1,
      'd=4',
      'https://a.test/',
      true,
      '?a=1&e=%C3%A9%26',
      'TypeError',
    ]);
  });

  test('a value whose text changes is read once, and may change the URL meanwhile', async () => {
    expect(
      await realm.value(
        `let n = 0; const shifty = { toString() { n++; return n === 1 ? 'https://good.test/' : 'https://evil.test/' } };
       const u = new URL(shifty); const v = new URL('https://a.test/'); v.hash = { toString() { v.pathname = '/moved'; return 'h' } };
       return [u.href, n, v.href]`,
      ),
    ).toEqual(['https://good.test/', 1, 'https://a.test/moved#h']);
  });

  test('the accessors refuse objects that are not a URL of the compartment', async () => {
    expect(
      await realm.value(
        `const get = Object.getOwnPropertyDescriptor(URL.prototype, 'href').get; const u = new URL('a:b');
       return [{}, Object.create(URL.prototype), new Proxy(u, {}), null, URL.prototype, 'a:b'].map((x) => { try { return get.call(x) } catch (e) { return e.name } })`,
      ),
    ).toEqual(Array.from({ length: 6 }, () => 'TypeError'));
  });

  test('subclasses of URL work, even if the constructor changes its prototype', async () => {
    expect(
      await realm.value(
        `class Mine extends URL { get twice() { return this.pathname + this.pathname } } const m = new Mine('https://a.test/x'); m.extra = 1;
       const odd = Reflect.construct(URL, ['https://a.test/'], class { }); return [m.twice, m instanceof URL, m.extra, odd instanceof URL, Object.getOwnPropertyDescriptor(URL.prototype, 'href').get.call(odd)]`,
      ),
    ).toEqual(['/x/x', true, 1, false, 'https://a.test/']);
  });

  test('URLSearchParams reads every form of initial value', async () => {
    expect(
      await realm.value(
        `return ['?a=1&b', 'a=%zz&b=%E2%9C%93&c=%ff+x&=e&&', [['a', 1], new Set(['b', 'c'])], { x: 1, y: null }, new URLSearchParams('k=v'), new Map([['m', 1]]), undefined, null, 5, '\\ud800'].map((init) => String(new URLSearchParams(init)))`,
      ),
    ).toEqual([
      'a=1&b=',
      'a=%25zz&b=%E2%9C%93&c=%EF%BF%BD+x&=e',
      'a=1&b=c',
      'x=1&y=null',
      'k=v',
      'm=1',
      '',
      'null=',
      '5=',
      '%EF%BF%BD=',
    ]);
    for (const init of [
      '[["a"]]',
      '[[1,2,3]]',
      '[1]',
      '{ [Symbol.iterator]: 1, [Symbol()]: 2 }',
      'Symbol()',
    ]) {
      expect((await realm.failure(`new URLSearchParams(${init})`)).name).toBe('TypeError');
    }
  });

  test('URLSearchParams has all the methods of the standard', async () => {
    expect(
      await realm.value(
        `const p = new URLSearchParams('a=1&b=2&a=3'); const seen = []; p.forEach(function (v, k, all) { seen.push(v, k, all === p, this.x) }, { x: 9 });
       const r = [p.get('a'), p.get('z'), p.getAll('a'), p.has('a'), p.has('a', '3'), p.has('a', '4'), p.size, [...p], [...p.keys()], [...p.values()], [...p.entries()].length];
       p.delete('a', '1'); r.push(String(p)); p.set('b', '4'); p.append('a', '5'); p.set('a', '6'); r.push(String(p)); p.sort(); r.push(String(p), Object.prototype.toString.call(p), seen.length);
       const walk = p[Symbol.iterator](); walk.next(); p.append('late', '1'); r.push([...walk].length);
       return r`,
      ),
    ).toEqual([
      '1',
      null,
      ['1', '3'],
      true,
      true,
      false,
      3,
      [
        ['a', '1'],
        ['b', '2'],
        ['a', '3'],
      ],
      ['a', 'b', 'a'],
      ['1', '2', '3'],
      3,
      'b=2&a=3',
      'b=4&a=6',
      'a=6&b=4',
      '[object URLSearchParams]',
      12,
      2,
    ]);
    for (const call of [
      'append("a")',
      'set("a")',
      'get()',
      'getAll()',
      'has()',
      'delete()',
      'forEach(1)',
    ]) {
      expect((await realm.failure(`new URLSearchParams('a=b').${call}`)).name).toBe('TypeError');
    }
  });

  test('URLSearchParams reads and writes what the platform does', async () => {
    const texts = fc.sample(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.webQueryParameters(),
        fc.constantFrom('%', '%2', '+%2B', 'a=b=c', "~!'()*-._"),
      ),
      { numRuns: 300, seed: 1 },
    );
    const found = await realm.value(
      `return ${JSON.stringify(texts)}.map((t) => [String(new URLSearchParams(t)), String(new URLSearchParams([[t, t]])), [...new URLSearchParams(t)]])`,
    );
    expect(found).toEqual(
      texts.map((text) => [
        String(new URLSearchParams(text)),
        String(new URLSearchParams([[text, text]])),
        [...new URLSearchParams(text)],
      ]),
    );
  });
});
