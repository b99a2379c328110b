import { isRecord } from '../../sandbox/wire/json.js';
import type { Bundle } from '../plugin/plugin.js';

/** The difference of one source file. */
export interface FileDiff {
  readonly file: string;
  readonly change: 'added' | 'removed' | 'changed' | 'unknown';
  /** A unified diff with three lines of context. Text of the author: escape it before display. */
  readonly diff: string;
}

/** Lines of one file. A longer file is shown as replaced. */
const MAX_LINES = 20_000;

/** Lines of one file that differ. Finding the shortest difference takes the square of it. */
const MAX_EDITS = 500;

/**
 * The differences between the sources of two versions, by the source maps of their builds. `isStored`:
 * whether the accepted version is stored on this machine; else each file is of unknown change.
 */
export function sourceDiff(
  before: Readonly<Record<string, Bundle>>,
  after: Readonly<Record<string, Bundle>>,
  { isStored }: { readonly isStored: boolean },
): readonly FileDiff[] {
  const [old, now] = [sourcesOf(before), sourcesOf(after)];
  const files = [...new Set([...old.keys(), ...now.keys()])].toSorted();
  return files.flatMap((file): FileDiff[] => {
    const [a, b] = [old.get(file), now.get(file)];
    if (!isStored) return [{ file, change: 'unknown', diff: '' }];
    if (a === b) return [];
    const change = a === undefined ? 'added' : b === undefined ? 'removed' : 'changed';
    return [{ file, change, diff: unifiedDiff(a, b, file) }];
  });
}

/** The texts of the sources in the source maps, by file. */
function sourcesOf(bundles: Readonly<Record<string, Bundle>>): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { sourceMap } of Object.values(bundles)) {
    for (const [file, text] of sourcesIn(sourceMap)) texts.set(file, text);
  }
  return texts;
}

function sourcesIn(sourceMap: string): readonly (readonly [string, string])[] {
  const map: unknown = JSON.parse(sourceMap);
  if (!isRecord(map)) return [];
  const { sources, sourcesContent } = map;
  if (!Array.isArray(sources) || !Array.isArray(sourcesContent)) return [];
  return sources.flatMap((file: unknown, at): (readonly [string, string])[] => {
    const text: unknown = sourcesContent[at];
    return typeof file === 'string' && typeof text === 'string' ? [[file, text]] : [];
  });
}

const CONTEXT = 3;

/** A diff as `diff -u` writes it. */
export function unifiedDiff(
  before: string | undefined,
  after: string | undefined,
  file: string,
): string {
  const [a, b] = [linesOf(before), linesOf(after)];
  const edits = editsBetween(a, b);
  const head = [
    `--- ${before === undefined ? '/dev/null' : `a/${file}`}`,
    `+++ ${after === undefined ? '/dev/null' : `b/${file}`}`,
  ];
  return [...head, ...hunksOf(edits)].map((line) => `${line}\n`).join('');
}

function linesOf(text: string | undefined): readonly string[] {
  if (text === undefined || text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

interface Edit {
  readonly kind: ' ' | '-' | '+';
  readonly text: string;
}

/** The edits from `a` to `b`. Equal starts and ends are skipped, because most of a file is unchanged. */
function editsBetween(a: readonly string[], b: readonly string[]): readonly Edit[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    a[a.length - 1 - end] === b[b.length - 1 - end]
  ) {
    end += 1;
  }
  const same = (texts: readonly string[]): Edit[] => texts.map((text) => ({ kind: ' ', text }));
  return [
    ...same(a.slice(0, start)),
    ...shortestEdits(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ];
}

/** Myers' algorithm. Past the caps all lines are replaced. */
function shortestEdits(a: readonly string[], b: readonly string[]): readonly Edit[] {
  const replaced = (): Edit[] => [
    ...a.map((text): Edit => ({ kind: '-', text })),
    ...b.map((text): Edit => ({ kind: '+', text })),
  ];
  if (a.length === 0 || b.length === 0 || a.length + b.length > MAX_LINES) return replaced();
  const trace: ReadonlyMap<number, number>[] = [];
  const ends = new Map<number, number>([[1, 0]]);
  const reach = (at: number): number => ends.get(at) ?? 0;
  for (let depth = 0; depth <= Math.min(a.length + b.length, MAX_EDITS); depth += 1) {
    trace.push(new Map(ends));
    for (let at = -depth; at <= depth; at += 2) {
      const down = at === -depth || (at !== depth && reach(at - 1) < reach(at + 1));
      let x = down ? reach(at + 1) : reach(at - 1) + 1;
      while (x < a.length && x - at < b.length && a[x] === b[x - at]) x += 1;
      ends.set(at, x);
      if (x >= a.length && x - at >= b.length) return walkBack(a, b, trace);
    }
  }
  return replaced();
}

function walkBack(
  a: readonly string[],
  b: readonly string[],
  trace: readonly ReadonlyMap<number, number>[],
): readonly Edit[] {
  const edits: Edit[] = [];
  let [x, y] = [a.length, b.length];
  for (let depth = trace.length - 1; depth >= 0; depth -= 1) {
    const ends = trace[depth] ?? new Map<number, number>();
    const reach = (at: number): number => ends.get(at) ?? 0;
    const at = x - y;
    const down = at === -depth || (at !== depth && reach(at - 1) < reach(at + 1));
    const fromAt = down ? at + 1 : at - 1;
    const [fromX, fromY] = [reach(fromAt), reach(fromAt) - fromAt];
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      edits.push({ kind: ' ', text: a[x - 1] ?? '' });
      x -= 1;
      y -= 1;
    }
    if (depth === 0) break;
    if (down) {
      edits.push({ kind: '+', text: b[y - 1] ?? '' });
      y -= 1;
    } else {
      edits.push({ kind: '-', text: a[x - 1] ?? '' });
      x -= 1;
    }
  }
  return edits.toReversed();
}

function hunksOf(edits: readonly Edit[]): readonly string[] {
  const near = new Set<number>();
  for (const [at, { kind }] of edits.entries()) {
    if (kind === ' ') continue;
    for (let one = at - CONTEXT; one <= at + CONTEXT; one += 1) near.add(one);
  }
  const lines: string[] = [];
  let [oldLine, newLine] = [1, 1];
  let hunk: { readonly old: number; readonly new: number; readonly edits: Edit[] } | undefined;
  const flush = (): void => {
    if (hunk === undefined) return;
    const countOf = (without: Edit['kind']): number =>
      hunk?.edits.filter(({ kind }) => kind !== without).length ?? 0;
    const [olds, news] = [countOf('+'), countOf('-')];
    lines.push(
      `@@ -${olds === 0 ? hunk.old - 1 : hunk.old},${olds} +${news === 0 ? hunk.new - 1 : hunk.new},${news} @@`,
      ...hunk.edits.map(({ kind, text }) => `${kind}${text}`),
    );
    hunk = undefined;
  };
  for (const [at, edit] of edits.entries()) {
    if (near.has(at)) {
      hunk ??= { old: oldLine, new: newLine, edits: [] };
      hunk.edits.push(edit);
    } else flush();
    if (edit.kind !== '+') oldLine += 1;
    if (edit.kind !== '-') newLine += 1;
  }
  flush();
  return lines;
}
