import { describe, expect, test } from 'vitest';
import { filesystem } from '../../src/permissions/filesystem.js';
import { pathText } from './arbitraries.js';
import { testLaws } from './laws.js';

const covers = (held: string, wanted: string): boolean =>
  filesystem.covers(filesystem.parse(held), filesystem.parse(wanted));

describe('filesystem', () => {
  testLaws(filesystem, pathText);

  test.each([
    ['data', 'data/a.txt'],
    ['data/', 'data'],
    ['.', 'data/a.txt'],
    ['/', '/etc/passwd'],
    ['/srv/notes', '/srv/notes/2024/a.md'],
  ])('%s covers %s', (held, wanted) => {
    expect(covers(held, wanted)).toBe(true);
  });

  test.each([
    ['data', 'data-secrets/a.txt'],
    ['/data', '/data-secrets'],
    ['data/a', 'data'],
    ['.', '/etc'],
    ['/', 'data'],
    ['data', '/data'],
  ])('%s does not cover %s', (held, wanted) => {
    expect(covers(held, wanted)).toBe(false);
  });

  test.each([
    ['./data//b/./', 'data/b'],
    ['.', '.'],
    ['./', '.'],
    ['/', '/'],
    ['//srv/./notes/', '/srv/notes'],
    ['..a/b..', '..a/b..'],
  ])('%s is written as %s', (text, written) => {
    expect(filesystem.format(filesystem.parse(text))).toBe(written);
  });

  test.each([
    ['', /empty/],
    ['..', /".." leads elsewhere/],
    ['data/../../etc', /".." leads elsewhere/],
    ['data\0.txt', /control character/],
    ['data\nx', /control character/],
    ['data\\x', /write "\/"/],
    ['data/*', /Leave the "\*" out/],
    ['~/.ssh', /not expanded/],
    ['x'.repeat(5000), /longer than/],
  ])('%j is refused', (text, why) => {
    expect(() => filesystem.parse(text)).toThrow(why);
  });

  test('a person reads where the files lie', () => {
    expect(['.', 'data', '/srv/notes', '/'].map(filesystem.explain)).toEqual([
      "Read the files in the plugin's own directory.",
      "Read data and what lies below it, in the plugin's own directory.",
      'Read /srv/notes and what lies below it.',
      'Read every file on this machine that the host itself can read.',
    ]);
  });
});
