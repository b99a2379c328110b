import { expect, it } from 'vitest';
import { makePaint } from '../../../src/cli/paint.js';
import { byCategory, tellCategories, tellTrial } from '../../../src/cli/selftest/tell.js';
import type { Trial } from '../../../src/cli/selftest/trials.js';

const trial = (category: string, held: boolean): Trial => ({
  category,
  held,
  plugin: 'villain',
  name: 'a file\n',
  evidence: 'IT GOT 1',
  durationMs: 1,
});
const trials = [trial('network', true), trial('files', false), trial('network', true)];

it('trials are counted by category', () => {
  expect(byCategory(trials)).toEqual([
    { category: 'network', tried: 2, held: 2 },
    { category: 'files', tried: 1, held: 0 },
  ]);
  expect(tellCategories(trials, makePaint(false)).split('\n')).toEqual([
    '  CATEGORY  HELD',
    '  network   2/2   held',
    '  files     0/1   NOT HELD',
    '',
  ]);
});

it('a trial is told with what came of it, and cannot tell a lie of its own', () => {
  expect(tellTrial(trial('files', false), makePaint(false))).toBe(
    '  NOT HELD  villain: a file\\n\n            IT GOT 1\n',
  );
});
