import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();
const grant = { network: true };

describe('frozen prototypes', () => {
  test('an instance can shadow inherited properties', async () => {
    expect(
      await realm.value(
        `const r = await fetch('https://x.test/text'); r.json = async () => 'mine'; const other = new Response('{"a":1}'); const u = new URL('https://a.test'); u.toString = () => 'mine';
       return [await r.json(), await other.json(), Object.keys(r), String(u), String(new URL('a:b')), typeof Response.prototype.json]`,
        { grant },
      ),
    ).toEqual(['mine', { a: 1 }, ['json'], 'mine', 'a:b', 'function']);
  });

  test('function-style and class-style subclasses can override members', async () => {
    expect(
      await realm.value(
        `function Old() { return Reflect.construct(EventTarget, [], Old) } Old.prototype = Object.create(EventTarget.prototype); Old.prototype.constructor = Old; Old.prototype.dispatchEvent = () => 'old';
       class New extends URL { constructor(u) { super(u); this.toJSON = () => 'new' } } New.canParse = () => 'new'; class Err extends DOMException { constructor(m) { super(m); this.message = 'changed' } }
       return [new Old().dispatchEvent(), JSON.stringify(new New('a:b')), New.canParse(), URL.canParse('a:b'), new Err('m').message]`,
      ),
    ).toEqual(['old', '"new"', 'new', true, 'changed']);
  });

  test('the prototypes and classes themselves cannot be assigned to or redefined', async () => {
    expect(
      await realm.value(
        `const tries = [() => { Response.prototype.json = 1 }, () => { Object.getPrototypeOf(Response.prototype).json = 1 }, () => { URL.canParse = 1 }, () => Object.defineProperty(URL.prototype, 'toString', { value: 1 }), () => { Headers.prototype.constructor = 1 }, () => Reflect.set(URL.prototype, 'toString', 1, URL.prototype) || null.x, () => { Date.now = 1 }];
       return tries.map((f) => { try { f(); return 'changed' } catch (e) { return e.name } })`,
        { grant },
      ),
    ).toEqual(Array.from({ length: 7 }, () => 'TypeError'));
  });
});
