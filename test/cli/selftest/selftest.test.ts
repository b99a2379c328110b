import { describe, expect, it } from 'vitest';
import { lineOf, run } from '../spawned.js';

interface Line {
  readonly ok: boolean;
  readonly tried: number;
  readonly held: number;
  readonly categories: readonly { readonly category: string; readonly tried: number }[];
  readonly trials: readonly { readonly plugin: string; readonly held: boolean }[];
}

describe('bulkhead selftest', () => {
  it('attacks this installation, and all of it holds', async () => {
    const ended = await run(['selftest', '--json']);
    const { ok, tried, held, categories, trials } = lineOf(ended) as Line;
    expect(trials.filter((trial) => !trial.held)).toEqual([]);
    expect({ ok, held }).toEqual({ ok: true, held: tried });
    expect(trials.length).toBe(tried);
    expect(categories.map(({ category }) => category)).toEqual(
      expect.arrayContaining(['well-behaved plugins', 'realm', 'network', 'availability']),
    );
    expect(ended).toMatchObject({ code: 0, stderr: '' });
  }, 600_000);
});
