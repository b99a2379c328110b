import { describe, expect, test } from 'vitest';
import { replaceHtmlComments } from '../../sandbox/html-comments.js';
import { processorMs } from '../processor-time.js';
import { useRealm } from './endowments/realm/realm.js';

const realm = useRealm();

describe('generated code with the marks of HTML comments', () => {
  test.each([
    ['in a string', String.raw`return "\n --> " + '<!-- ' + "it's -->" + 'a\'-->' + "\\-->"`],
    ['in a string after another', String.raw`return 'a' + "b" + '-->' + "'" + '<!---->'`],
    ['as operators', 'let n = 3, sum = 0;\nwhile (n-->0) sum += n;\nreturn sum'],
    ['in a comment with an apostrophe', `return 1 // isn't --> x`],
    ['in a name of a property', `return ({ '-->': 1 })["-->"]`],
  ])('%s runs as elsewhere', async (_, body) => {
    const make = `new Function(${JSON.stringify(body)})()`;
    const native: unknown = new Function(`return ${make}`)();
    expect(await realm.value(`return ${make}`)).toEqual(native);
    const evaluated = `(0, eval)(${JSON.stringify(`(() => {${body}\n})()`)})`;
    expect(await realm.value(`return ${evaluated}`)).toEqual(native);
  });

  test.each([
    ['a comment', 'return 1 <!-- 2'],
    ['a comment at the start of a line', 'let n = 1\n--> 0\nreturn n'],
    ['a mark in a template', 'return `-->`'],
    ['a mark beside a regular expression', 'return /"/.test(n) ? "-->" : n-->0'],
    ['operators beside a template', 'let n = 1; const a = `\n`;\nn-->0\nreturn n'],
    ['a mark after a continued string', 'return "a\\\nb-->c"'],
    ['an escaped mark', String.raw`return "\-->"`],
  ])('is refused if it is or could be %s', async (_, body) => {
    const code = `try { new Function('n', ${JSON.stringify(body)})(1); return 'ran' } catch (error) { return error.name }`;
    expect(await realm.value(code)).toBe('SyntaxError');
  });

  test('is otherwise unchanged, and takes no time that its author chooses', () => {
    expect(replaceHtmlComments('a < !--b')).toBe('a < !--b');
    const long = `${'"-->" + '.repeat(100_000)}1`;
    expect(processorMs(() => replaceHtmlComments(long))).toBeLessThan(3_000);
    expect(replaceHtmlComments(long)).not.toContain('-->');
  });
});
