import { describe, expect, test } from 'vitest';
import { Headers, makeHeaders, readHeaders } from '../../../../sandbox/endowments/fetch/headers.js';

describe('Headers', () => {
  test('names are compared without case, and values of one name are joined', () => {
    const headers = new Headers({ 'X-One': ' 1 ', accept: 'a' });
    headers.append('x-one', '2');
    expect(headers.get('X-ONE')).toBe('1, 2');
    expect(headers.has('x-One')).toBe(true);
    headers.set('X-one', '3');
    expect([...headers]).toEqual([
      ['accept', 'a'],
      ['x-one', '3'],
    ]);
    headers.delete('X-ONE');
    expect(headers.get('x-one')).toBeNull();
  });

  test('iteration is in order of names, with each cookie by itself', () => {
    const headers = new Headers([
      ['set-cookie', 'b=2'],
      ['a', '2'],
      ['Set-Cookie', 'a=1'],
      ['A', '1'],
    ]);
    const expected = [
      ['a', '2, 1'],
      ['set-cookie', 'b=2'],
      ['set-cookie', 'a=1'],
    ];
    expect([...headers.entries()]).toEqual(expected);
    expect([...headers.keys()]).toEqual(['a', 'set-cookie', 'set-cookie']);
    expect([...headers.values()]).toEqual(['2, 1', 'b=2', 'a=1']);
    const seen: unknown[] = [];
    headers.forEach((value: unknown, name: unknown, all: unknown) =>
      seen.push([name, value, all === headers]),
    );
    expect(seen).toEqual(expected.map((pair) => [...pair, true]));
    expect(headers.getSetCookie()).toEqual(['b=2', 'a=1']);
  });

  test('an object’s own enumerable properties are headers, a Headers is copied', () => {
    const first = new Headers({ a: 1, __proto__: { b: 2 } });
    const second = new Headers(first);
    second.set('a', 'changed');
    expect([...first]).toEqual([['a', '1']]);
  });

  test('values that could split a message are refused', () => {
    const refused: [unknown, unknown][] = [
      ['a b', 'x'],
      ['', 'x'],
      ['a:', 'x'],
      ['a\n', 'x'],
      ['a', 'x\r\nInjected: 1'],
      ['a', 'x\0'],
      ['a', 'ĊInjected'],
    ];
    for (const [name, value] of refused) {
      expect(() => new Headers().append(name, value)).toThrow(TypeError);
      expect(() => readHeaders([[name, value]])).toThrow(TypeError);
    }
  });

  test('headers of a network response are fixed', () => {
    const headers = makeHeaders([['a', '1']], true);
    for (const method of ['append', 'set'] as const) {
      expect(() => Headers.prototype[method].call(headers, 'a', '2')).toThrow(TypeError);
    }
    expect(() => Headers.prototype.delete.call(headers, 'a')).toThrow(TypeError);
    expect(Headers.prototype.get.call(headers, 'a')).toBe('1');
  });

  test('the methods refuse other objects', () => {
    expect(() => Headers.prototype.get.call({}, 'a')).toThrow('this is not a Headers');
    expect(() => Headers.prototype.get.call(new Proxy(new Headers(), {}), 'a')).toThrow(TypeError);
  });
});
