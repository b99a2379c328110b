import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readText, ROOT } from '../../architecture/sources.js';

const rows = [...readText('docs/spindle.md').matchAll(/^\| (S\d\d) +\| (.+?) +\| (.+?) +\|$/gm)];

describe('the table of what the original does', () => {
  it('has every point once, in order', () => {
    const names = rows.map(([, name = '']) => name);
    expect(names).toEqual([...new Set(names)].toSorted((a, b) => a.localeCompare(b)));
    expect(names).toHaveLength(64);
  });

  it.each(rows.map(([, name, , proof]) => [name, proof] as const))(
    '%s has a test that is there, or says why it has none',
    (_, proof) => {
      const path = /^`(test\/.+)`$/.exec(proof ?? '')?.[1];
      if (path === undefined) expect(proof).toMatch(/^does not apply: .{20}/);
      else expect(existsSync(join(ROOT, path))).toBe(true);
    },
  );
});
