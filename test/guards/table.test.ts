import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { readAnchors } from './anchors.js';
import { withoutGuard } from './mutate.js';
import { guards } from './table.js';

const anchors = readAnchors(ROOT);

describe('the table of guards', () => {
  it('lists each guard of the sources once', () => {
    expect(guards.map(({ id }) => id).toSorted()).toEqual(anchors.map(({ id }) => id).toSorted());
    expect(new Set(guards.map(({ id }) => id)).size).toBe(guards.length);
  });

  it('names each guard in short kebab-case words', () => {
    expect(guards.filter(({ id }) => !/^[a-z0-9]+(?:-[a-z0-9]+){1,6}$/.test(id))).toEqual([]);
  });

  it.each(guards)('can take out $id', ({ id, mutation, tests }) => {
    const anchor = anchors.find((one) => one.id === id);
    if (anchor === undefined) throw new Error(`no source has the comment "// guard: ${id}"`);
    const mutated = withoutGuard(anchor, mutation);
    expect(mutated).not.toBe(anchor.source);
    expect(parseSync(anchor.file, mutated).errors).toEqual([]);
    expect(unknownNames(mutation, anchor.source)).toEqual([]);
    expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

/** Names that a replacement uses and its source does not: a rename broke the replacement. */
function unknownNames(mutation: (typeof guards)[number]['mutation'], source: string): string[] {
  if (typeof mutation !== 'object') return [];
  const text = mutation.replace[1].replaceAll(/'[^']*'|\$\d/g, '');
  const known = new Set([...(source.match(/[a-z_$][\w$]*/gi) ?? []), ...ALWAYS_KNOWN]);
  return (text.match(/(?<![\\\w])[a-z_$][\w$]*/gi) ?? []).filter((name) => !known.has(name));
}

const ALWAYS_KNOWN =
  'AbortController Infinity JSON every false follow keys min new parse slice throw true'.split(' ');
