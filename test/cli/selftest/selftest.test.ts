import { outputErrors } from '../output-schema.js';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../architecture/sources.js';
import { lineOf, run } from '../spawned.js';

interface Line {
  readonly ok: boolean;
  readonly total: number;
  readonly passed: number;
  readonly categories: readonly { readonly category: string; readonly total: number }[];
  readonly checks: readonly { readonly plugin: string; readonly passed: boolean }[];
}

/** Hostile directories of which selftest can try nothing, and what runs them instead. */
const ELSEWHERE = new Map([
  ['broken-out', 'test/escape/process.test.ts'],
  ['is-called-proto', 'test/escape/names.test.ts'],
  ['packages', 'test/escape/packages.test.ts'],
  ['rogue-guest', 'test/escape/wire.test.ts'],
]);

describe('bulkhead selftest', () => {
  it('attacks this installation, and all of it holds', async () => {
    const ended = await run(['selftest', '--json']);
    expect(outputErrors('selftest', lineOf(ended))).toEqual([]);
    const { ok, total: count, passed, categories, checks } = lineOf(ended) as Line;
    expect(checks.filter((check) => !check.passed)).toEqual([]);
    expect({ ok, passed }).toEqual({ ok: true, passed: count });
    expect(checks.length).toBe(count);
    expect(categories.map(({ category }) => category)).toEqual(
      expect.arrayContaining(['well-behaved plugins', 'realm', 'network', 'availability']),
    );
    const tried = new Set(checks.map(({ plugin }) => plugin));
    const hostilePlugins = readdirSync(join(ROOT, 'fixtures/hostile'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !ELSEWHERE.has(entry.name))
      .map(({ name }) => name);
    expect(hostilePlugins.filter((name) => !tried.has(name))).toEqual([]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
  }, 600_000);
});
