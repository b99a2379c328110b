import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { unifiedDiff } from '../../src/lock/source-diff.js';
import { processorMs } from '../processor-time.js';

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `${at}`);

/** Applies a diff, as `patch` does. */
function patch(before: string, diff: string): string {
  const [old, out] = [before === '' ? [] : before.split('\n'), [] as string[]];
  let at = 0;
  for (const line of diff.split('\n').slice(2)) {
    const start = /^@@ -(\d+),(\d+)/.exec(line);
    if (start !== null) {
      const until = Number(start[2]) === 0 ? Number(start[1]) : Number(start[1]) - 1;
      while (at < until) out.push(old[at++] ?? '');
    } else if (line.startsWith('+')) out.push(line.slice(1));
    else if (line.startsWith('-') || line.startsWith(' ')) {
      if (line.slice(1) !== old[at]) throw new Error(`the line ${at} does not match`);
      if (line.startsWith(' ')) out.push(old[at] ?? '');
      at += 1;
    }
  }
  return [...out, ...old.slice(at)].join('\n');
}

describe('a unified diff', () => {
  it('has three lines of context around each change', () => {
    const before = numbered(20);
    const after = before.with(4, 'x').toSpliced(15, 1);
    expect(unifiedDiff(before.join('\n'), after.join('\n'), 'a.ts')).toBe(
      [
        '--- a/a.ts',
        '+++ b/a.ts',
        '@@ -2,7 +2,7 @@',
        ' 1',
        ' 2',
        ' 3',
        '-4',
        '+x',
        ' 5',
        ' 6',
        ' 7',
        '@@ -13,7 +13,6 @@',
        ' 12',
        ' 13',
        ' 14',
        '-15',
        ' 16',
        ' 17',
        ' 18',
        '',
      ].join('\n'),
    );
  });

  it('names a file that was added or removed', () => {
    expect(unifiedDiff(undefined, 'a\n', 'x')).toBe(
      '--- /dev/null\n+++ b/x\n@@ -0,0 +1,1 @@\n+a\n',
    );
    expect(unifiedDiff('a\n', undefined, 'x')).toBe(
      '--- a/x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n',
    );
  });

  it('turns the old text into the new one', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [before, after] = [a.join('\n'), b.join('\n')];
        if (before === after) return;
        expect(patch(before, unifiedDiff(before, after, 'f'))).toBe(after);
      }),
    );
  });

  it('is quick for long texts without a common line', () => {
    const before = numbered(9_000).map((line) => `a${line}`);
    const after = numbered(9_000).map((line) => `b${line}`);
    const ms = processorMs(() => {
      expect(unifiedDiff(before.join('\n'), after.join('\n'), 'f')).toContain('-a0');
    });
    expect(ms).toBeLessThan(3_000);
  });
});
