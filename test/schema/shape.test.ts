import { describe, expect, test } from 'vitest';
import {
  type Shape,
  array,
  boolean,
  number,
  object,
  oneOf,
  oneOrMore,
  optional,
  readShape,
  record,
  string,
} from '../../src/schema/shape.js';

const problems = (shape: Shape<unknown>, value: unknown): readonly string[] => {
  const result = readShape(shape, value, 'it');
  return result.ok ? [] : result.problems;
};

const person = object(
  { name: string(), age: optional(number), tags: optional(array(oneOf('a', 'b'))) },
  'refuse',
);

describe('a shape', () => {
  test('reads a valid value to its type', () => {
    const result = readShape(person, { name: 'Ada', tags: ['a'] }, 'it');
    expect(result).toEqual({ ok: true, value: { name: 'Ada', tags: ['a'] } });
    const name: string | undefined = result.ok ? result.value.name : undefined;
    const age: number | undefined = result.ok ? result.value.age : undefined;
    expect([name, age]).toEqual(['Ada', undefined]);
  });

  test('reports every problem with its path', () => {
    expect(problems(person, { age: '36', tags: ['a', 'c', 1], 'odd key': 1 })).toEqual([
      'name: is missing',
      'age: must be a number, not "36"',
      'tags[1]: must be "a" or "b", not "c"',
      'tags[2]: must be "a" or "b", not 1',
      '"odd key": is not known',
    ]);
  });

  test.each([
    [person, null, 'it: must be an object, not null'],
    [person, [], 'it: must be an object, not a list'],
    [array(boolean), {}, 'it: must be a list, not an object'],
    [boolean, 1, 'it: must be true or false, not 1'],
    [number, Number.NaN, 'it: must be a number, not NaN'],
    [string('a word', (text) => text !== ''), '', 'it: must be a word, not ""'],
    [string(), 'x'.repeat(100), ''],
  ])('%o refuses %j', (shape, value, problem) => {
    expect(problems(shape, value)).toEqual(problem === '' ? [] : [problem]);
  });

  test('treats null as a value, not as missing', () => {
    expect(problems(person, { name: 'Ada', age: null })).toEqual([
      'age: must be a number, not null',
    ]);
  });

  test('reads a single item as a list of one', () => {
    const shape = oneOrMore(string());
    expect(readShape(shape, 'a', 'it')).toEqual({ ok: true, value: ['a'] });
    expect(readShape(shape, ['a', 'b'], 'it')).toEqual({ ok: true, value: ['a', 'b'] });
    expect(problems(shape, 1)).toEqual(['it: must be a text, not 1']);
  });

  describe('with inherited names', () => {
    const parse = (text: string): unknown => JSON.parse(text);

    test('treats an inherited property as missing', () => {
      const shape = object({ constructor: string(), toString: optional(string()) });
      expect(problems(shape, {})).toEqual(['constructor: is missing']);
    });

    test('treats __proto__ like any other key', () => {
      expect(problems(person, parse('{"name":"x","__proto__":{}}'))).toEqual([
        '__proto__: is not known',
      ]);
      const loose = object({ name: string() });
      const read = readShape(loose, parse('{"name":"x","__proto__":{"evil":1}}'), 'it');
      expect(read).toEqual({ ok: true, value: { name: 'x' } });
      const table = readShape(record(number), parse('{"__proto__":1}'), 'it');
      expect(table.ok && Object.keys(table.value)).toEqual(['__proto__']);
    });
  });

  test('caps the number and the length of problems', () => {
    const found = problems(
      array(number),
      Array.from({ length: 1000 }, () => 'x'.repeat(1000)),
    );
    expect(found).toHaveLength(21);
    expect(found.at(-1)).toBe('it: … and 980 more');
    expect(Math.max(...found.map((problem) => problem.length))).toBeLessThan(120);
  });
});
