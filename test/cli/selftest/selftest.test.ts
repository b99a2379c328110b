import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../architecture/sources.js';
import { lineOf, run } from '../spawned.js';

interface Line {
  readonly ok: boolean;
  readonly tried: number;
  readonly held: number;
  readonly categories: readonly { readonly category: string; readonly tried: number }[];
  readonly trials: readonly { readonly plugin: string; readonly held: boolean }[];
}

/** Hostile directories that hold no plugin, and what runs them instead. */
const NO_PLUGINS = new Map([['rogue-guest', 'test/escape/wire.test.ts']]);

describe('bulkhead selftest', () => {
  it('attacks this installation, and all of it holds', async () => {
    const ended = await run(['selftest', '--json']);
    const { ok, tried: count, held, categories, trials } = lineOf(ended) as Line;
    expect(trials.filter((trial) => !trial.held)).toEqual([]);
    expect({ ok, held }).toEqual({ ok: true, held: count });
    expect(trials.length).toBe(count);
    expect(categories.map(({ category }) => category)).toEqual(
      expect.arrayContaining(['well-behaved plugins', 'realm', 'network', 'availability']),
    );
    const tried = new Set(trials.map(({ plugin }) => plugin));
    const villains = readdirSync(join(ROOT, 'fixtures/hostile'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !NO_PLUGINS.has(entry.name))
      .map(({ name }) => name);
    expect(villains.filter((name) => !tried.has(name))).toEqual([]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
  }, 600_000);
});
