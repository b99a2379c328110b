import { describe, expect, test } from 'vitest';
import { replaceWith } from '../../sandbox/with-statements.js';
import { useRealm } from './endowments/realm/realm.js';
import { processorMs } from '../processor-time.js';

const realm = useRealm();

/** What the code returns in a compartment, and in this realm. */
async function both(parameters: string, body: string, args: string): Promise<[unknown, unknown]> {
  const make = `new Function(${JSON.stringify(parameters)}, ${JSON.stringify(body)})(${args})`;
  const native: unknown = new Function(`return ${make}`)();
  return [await realm.value(`return ${make}`), native];
}

const lodash = (body: string): string =>
  `obj || (obj = {});\nvar __t, __p = '', __j = Array.prototype.join;\nfunction print() { __p += __j.call(arguments, '') }\nwith (obj) {\n${body}\n}\nreturn __p\n`;

describe('generated code with a with statement', () => {
  test.each([
    ['reads properties', `__p += 'Hi ' + ((__t = ( name )) == null ? '' : __t) + '!';`],
    ['reads names outside', `__p += Math.max(n, 2) + String(typeof missing);`],
    [
      'has variables and loops of its own',
      `var sum = 0; for (const item of items) { let name = item; sum += name } __p += sum + name;`,
    ],
    [
      'has text with words and braces',
      `__p += 'with (x) { return } ' + "it's {" + name + /}"/.source;`,
    ],
    [
      'uses members, spread and functions',
      `__p += [...items, user.name.length].map((x) => x + n).join(); print(name);`,
    ],
    ['shadows a name outside', `__p += Math + '';`],
  ])('%s as sloppy code does', async (_, body) => {
    const data = `{ name: 'A', n: 1, items: [1, 2], user: { name: 'xyz' }${body.startsWith('__p += Math +') ? ', Math: "own"' : ''} }`;
    const [ours, native] = await both('obj', lodash(body), data);
    expect(ours).toEqual(native);
  });

  test('works in the form of EJS, with its error handling', async () => {
    const body = `var __line = 1\n  , __lines = "a with (b) {\\n"\ntry {\n  var __output = "";\n  function __append(s) { if (s !== undefined && s !== null) __output += s }\n  with (locals || {}) {\n    ; __line = 2; __append(title)\n  }\n  return __output;\n} catch (e) {\n rethrow(e, __lines, __line);\n}\n`;
    const [ours, native] = await both(
      'locals, rethrow',
      body,
      `{ title: 'T' }, (e) => { throw e }`,
    );
    expect(ours).toEqual(native);
  });

  test('is unchanged in any other form', () => {
    for (const text of [
      'with (a) {\nb\n}\nreturn __c',
      '(function anonymous() {\nwith (a) { b }\n})',
      '(function anonymous() {\nreturn "with (a) {}"\n})',
    ]) {
      expect(replaceWith(text)).toBe(text);
    }
  });

  test('of another form fails with the option that avoids it', async () => {
    const failure = await realm.failure(
      `return new Function('o', 'with (o) { return a }')({ a: 1 })`,
    );
    expect(failure.message).toMatch(/no `with` statement.*`_with: false` of EJS/);
  });

  test('gives the body no more than a function has', async () => {
    const value = await realm.value(
      `const body = ${JSON.stringify(lodash(`__p += [typeof process, typeof require, typeof globalThis.process, (function () { return typeof this })()].join()`))};
       return new Function('obj', body)({})`,
    );
    expect(value).toBe('undefined,undefined,undefined,undefined');
  });

  test('finds its place in a long text in linear time', () => {
    const text = `(function anonymous(a\n) {\n${'with (a) {\n'.repeat(20_000)}})`;
    expect(processorMs(() => replaceWith(text))).toBeLessThan(5_000);
  });
});
