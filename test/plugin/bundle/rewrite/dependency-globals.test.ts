import { describe, expect, it } from 'vitest';
import { runFiles } from '../fixture.js';

describe('the clock and random numbers of dependencies', () => {
  const files = {
    'index.ts': `
      import { seed, later, nativeNow, root, elapsed, dates } from 'seeded';
      export const load = () => seed;
      export const after = () => [later(), nativeNow(), root(), elapsed(), dates()];
      export const own = () => Math.random();
      export const ownClock = () => performance.now();
    `,
    'node_modules/seeded/index.js': `
      exports.seed = [Math.random(), Date.now(), +new Date(), (function (m) { return m.random() })(Math)];
      exports.later = () => Math.random();
      exports.nativeNow = Date.now;
      const root = typeof globalThis === 'object' && globalThis || Function('return this')();
      exports.root = () => [root.Date.now(), Function('return this')().Date.now()];
      exports.elapsed = () => performance.now();
      exports.dates = () => { const own = { Date }; class Day extends Date {} return [new Day(5) instanceof Date, new own.Date(7).getTime(), typeof Date.UTC, Math.floor(1.5)] };
      (function (Math) { exports.shadowed = Math.x })({ x: 1 });
    `,
  };

  it('are fixed without a permission, at load and later', async () => {
    expect(await runFiles(files, { call: 'load' })).toEqual([0.25, 0, 0, 0.25]);
    expect(await runFiles(files, { call: 'after' })).toEqual([
      0.25,
      0,
      [0, 0],
      0,
      [true, 7, 'function', 1],
    ]);
  });

  it('are real if they are granted', async () => {
    const [random, now] = (await runFiles(files, {
      call: 'load',
      random: true,
      time: true,
    })) as number[];
    expect(random).toBe(0.5);
    expect(now).toBeGreaterThan(1e12);
  });

  it('are refused in the plugin’s own code', async () => {
    await expect(runFiles(files, { call: 'own' })).rejects.toThrow('random');
    await expect(runFiles(files, { call: 'ownClock' })).rejects.toThrow('secure mode');
    await expect(
      runFiles({ 'index.ts': 'const x = Math.random(); export const run = () => x;' }),
    ).rejects.toThrow('random');
  });
});
