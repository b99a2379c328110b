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
  ])('%s is normalized to %s', (text, written) => {
    expect(filesystem.format(filesystem.parse(text))).toBe(written);
  });

  test.each([
    ['', /empty/],
    ['..', /must not have ".."/],
    ['data/../../etc', /must not have ".."/],
    ['data\0.txt', /control character/],
    ['data\nx', /control character/],
    ['data\\x', /write "\/"/],
    ['data/*', /Remove the "\*"/],
    ['~/.ssh', /not expanded/],
    ['x'.repeat(5000), /longer than/],
  ])('%j is refused', (text, why) => {
    expect(() => filesystem.parse(text)).toThrow(why);
  });

  test.each([
    ['/ws:rw', '/ws/notes'],
    ['/ws:rw', '/ws/notes:rw'],
    ['/ws:rw', '/ws/.git'],
    ['/ws/.git:rw', '/ws/.git/hooks:rw'],
    ['/ws:/workspace:rw', '/ws/notes:rw'],
  ])('%s covers %s', (held, wanted) => {
    expect(covers(held, wanted)).toBe(true);
  });

  test.each([
    ['/ws', '/ws/notes:rw'],
    ['/ws:ro', '/ws:rw'],
    ['/ws:rw', '/ws/.git:rw'],
    ['/ws:rw', '/ws/a/.GIT/hooks:rw'],
    ['/ws:rw', '/ws/.github/workflows:rw'],
    ['/ws/.git:rw', '/ws/.git/modules/x/.vscode:rw'],
  ])('%s does not cover %s', (held, wanted) => {
    expect(covers(held, wanted)).toBe(false);
  });

  test.each([
    ['data:rw', /own directory is not writable/],
    ['data:/guest', /only an absolute path/],
    ['/ws:/a/../b:rw', /must not have/],
  ])('%s is refused', (text, why) => {
    expect(() => filesystem.parse(text)).toThrow(why);
  });

  test('a path may have a colon that is not a mode', () => {
    expect(filesystem.parse('/a:b/c')).toEqual({ path: '/a:b/c', isWritable: false });
  });

  test('an intersection has the guest path of the deeper one, or that path below the other', () => {
    const both = (a: string, b: string): string | undefined => {
      const scope = filesystem.attenuate(filesystem.parse(a), filesystem.parse(b));
      return scope && filesystem.format(scope);
    };
    expect(both('/ws:/workspace:rw', '/ws/notes:rw')).toBe('/ws/notes:/workspace/notes:rw');
    expect(both('/ws/notes', '/ws:/workspace:rw')).toBe('/ws/notes:/workspace/notes');
    expect(both('/ws:rw', '/ws/.git:rw')).toBe('/ws/.git');
  });

  test('the explanation names the path', () => {
    expect(
      ['.', 'data', '/srv/notes', '/', '/ws:rw', '/ws:/workspace', '/ws/.git:rw'].map((text) =>
        filesystem.explain(filesystem.parse(text)),
      ),
    ).toEqual([
      "Read the files in the plugin's own directory.",
      "Read data and everything below it, in the plugin's own directory.",
      'Read /srv/notes and everything below it.',
      'Read every file on this machine that the host itself can read.',
      'Read and write /ws and everything below it, except names that other programs execute or trust (.git, .vscode, …).',
      'Read /ws and everything below it, as /workspace.',
      'Read and write /ws/.git and everything below it.',
    ]);
  });
});
