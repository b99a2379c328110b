import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readText, ROOT } from '../architecture/sources.js';
import { guards } from './table.js';

const all = Object.values(guards).flat();

describe('the table of guards', () => {
  it.each(all)('knows where the product stops $stops', ({ file, code, without, tests }) => {
    expect(readText(file).split(code)).toHaveLength(2);
    expect(without).not.toBe(code);
    expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('has each guard once', () => {
    const names = all.map(({ stops }) => stops);
    expect(new Set(names).size).toBe(names.length);
  });
});
