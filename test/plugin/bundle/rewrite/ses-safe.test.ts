import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, evaluateText, refusedBySes, rewrite } from './evaluate.js';

/** Texts with many parts that SES refuses, and with parts that look like their escapes. */
const hostileText = fc.string({
  unit: fc.constantFrom(
    '<!--',
    '-->',
    '-',
    '>',
    '<',
    '!',
    'import(',
    'import.',
    'import',
    'eval(',
    'eval',
    '(',
    ')',
    '/*',
    '//',
    '\\',
    "'",
    '"',
    '`',
    '${',
    '}',
    '\n',
    ' ',
    '.',
    '...',
    '\u2028',
    'é',
    '$',
    '#',
    '\\u0069',
  ),
  maxLength: 12,
});

describe('text that SES refuses', () => {
  it('keeps its value in every string', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(evaluate(`const exported = ${JSON.stringify(text)};`)).toBe(text);
      }),
    );
  });

  it('keeps its value in every template', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (a, b) => {
        expect(evaluate(`const exported = \`${inTemplate(a)}\${1 + 1}${inTemplate(b)}\`;`)).toBe(
          `${a}2${b}`,
        );
      }),
    );
  });

  it('keeps its cooked and its raw text in every tagged template', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (a, b) => {
        const source = `\`${inTemplate(a)}\${1 + 1}${inTemplate(b)}\``;
        const tag = 'const tag = (strings, x) => [[...strings], [...strings.raw], x];';
        const expected: unknown = evaluateText(`{ ${tag} tag${source} }`);
        expect(evaluate(`${tag} const exported = tag${source};`)).toEqual(expected);
      }),
    );
  });

  it('keeps its source in every regular expression', () => {
    const patterns = fc.string({
      unit: fc.constantFrom(
        '<!--',
        '-->',
        'import(?:',
        'eval(?:',
        '[<!--]',
        ')',
        '\\/',
        '-',
        '>',
        'a',
        '|',
      ),
      maxLength: 6,
    });
    fc.assert(
      fc.property(patterns, (pattern) => {
        if (!isPattern(pattern)) return;
        const expected: unknown = evaluateText(`/x${pattern}/gi`);
        const actual = evaluate(`const exported = /x${pattern}/gi;`);
        expect(String(actual)).toBe(String(expected));
        expect(actual).toBeInstanceOf(RegExp);
      }),
    );
  });

  it('is removed from comments, whose line breaks stay', () => {
    const { code } = rewrite(
      '/* import(x) <!-- */ const a = 1 // eval(x) -->\n/*\n eval(y)\n*/ const exported = a;',
    );
    expect(refusedBySes(code)).toBe(false);
    expect(code.split('\n')).toHaveLength(7);
  });

  it('works as an operator', () => {
    expect(
      evaluate('let n = 3; let i = 0; while (n-->0) i++; const exported = [i, 1<!--n];'),
    ).toEqual([3, false]);
  });

  it.each([
    ['a method', 'const exported = { import(x) { return x }, eval(x) { return x * 2 } };'],
    [
      'a class',
      'class A { static import (x) { return x } static eval(x) { return x * 2 } } const exported = A;',
    ],
    [
      'a private method',
      'class A { #import(x) { return x } #eval(x) { return x * 2 } import(x) { return this.#import(x) } eval(x) { return this.#eval(x) } } const exported = new A();',
    ],
    [
      'a getter',
      'const exported = { get import() { return (x) => x }, get eval() { return (x) => x * 2 } };',
    ],
    [
      'a property by its name',
      'const o = {}; o.import = (x) => x; o["eval"] = (x) => x * 2; const exported = { import: (x) => o.import(x), eval: (x) => o . eval (x) };',
    ],
  ])('works as the name of %s', (_, body) => {
    const exported = evaluate(body) as { import(x: number): number; eval(x: number): number };
    expect([exported.import(3), exported.eval(3)]).toEqual([3, 6]);
  });

  it('works as part of a longer name', () => {
    expect(
      evaluate(
        'const $import = (x) => x; const my$eval = (x) => x; const exported = $import(1) + my$eval(2);',
      ),
    ).toBe(3);
  });

  it('passes a tag the same strings object each time, as the language does', () => {
    const [a, b, c] = evaluate(`
      const tag = (strings) => strings;
      const make = () => tag\`<!-- \${0}\`;
      const exported = [make(), make(), tag\`<!-- \${0}\`];
    `) as object[];
    expect(a).toBe(b);
    expect(a).not.toBe(c);
    expect(Object.isFrozen(a) && Object.isFrozen(Reflect.get(a ?? {}, 'raw'))).toBe(true);
  });

  it('keeps this and new in the tag, and its lines', () => {
    const body = `
      const o = { x: 5, tag(s, ...v) { return this.x + s.raw[0].length + v[0] } };
      function Maker() { return function () { return { made: true } } }
      const made = new (Maker\`-->\`)();
      const exported = [o.tag\`<!--
      \${(1, 2)}\`, made.made,
        new Error('line').stack];`;
    const [value, made] = evaluate(body) as unknown[];
    expect([value, made]).toEqual([5 + 11 + 2, true]);
    expect(rewrite(body).code.split('\n')[6]).toContain("'line'");
  });
});

describe('dynamic import', () => {
  it('with a computed specifier calls the guest, which refuses it', async () => {
    const exported = evaluate('const exported = (x) => import(x + "!");') as (
      x: string,
    ) => Promise<never>;
    await expect(exported('a')).rejects.toThrow('refused a!');
  });

  it('with comments between its parts calls the guest', async () => {
    const exported = evaluate('const exported = (x) => import /* ( */ // (\n (x);') as (
      x: string,
    ) => Promise<never>;
    await expect(exported('a')).rejects.toThrow('refused a');
  });
});

describe('direct eval', () => {
  it('becomes indirect, as under SES', () => {
    expect(
      evaluate('const secret = 1; const exported = [eval("1 + 1"), typeof eval("typeof secret")];'),
    ).toEqual([2, 'string']);
    expect(rewrite('const exported = eval("secret");').code).toContain('(0, eval)("secret")');
  });
});

describe('a rewritten module', () => {
  it('has the same lines as the original', () => {
    fc.assert(
      fc.property(fc.array(hostileText, { minLength: 1, maxLength: 5 }), (texts) => {
        const lines = texts.map(
          (text, index) => `const a${index} = ${JSON.stringify(text)}; // ${index}`,
        );
        const { code } = rewrite([...lines, 'const exported = 0;'].join('\n'));
        texts.forEach((_, index) => {
          expect(code.split('\n')[index]).toContain(`const a${index} =`);
        });
      }),
    );
  });

  it('is async only if the module awaits at its top level', () => {
    expect(rewrite('const exported = await 1;').code).toMatch(/^\(async function /);
    expect(rewrite('for await (const x of []); const exported = 1;').code).toMatch(/^\(async /);
    expect(rewrite('const exported = async () => await 1;').code).toMatch(/^\(function /);
  });

  it('is one expression that throws nothing until it is called', () => {
    const { code } = rewrite('throw new Error("run"); const exported = 1;');
    const make = evaluateText(code);
    expect(() => (make as (x: object) => unknown)({})).toThrow('run');
  });
});

function inTemplate(text: string): string {
  return text.replaceAll(/[\\`]|\$(?=\{)/g, '\\$&').replaceAll('\r', '\\r');
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(`x${pattern}`) instanceof RegExp;
  } catch {
    return false;
  }
}
