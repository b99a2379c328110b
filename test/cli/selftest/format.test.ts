import { describe, expect, it } from 'vitest';
import { makePaint } from '../../../src/cli/output.js';
import type { Check } from '../../../src/cli/selftest/checks.js';
import { byCategory, formatCategories, formatCheck } from '../../../src/cli/selftest/selftest.js';

const check = (category: string, passed: boolean): Check => ({
  category,
  passed,
  plugin: 'hostile',
  name: 'a file\n',
  evidence: 'IT GOT 1',
  durationMs: 1,
});
const checks = [check('network', true), check('files', false), check('network', true)];

describe('the selftest output', () => {
  it('counts checks by category', () => {
    expect(byCategory(checks)).toEqual([
      { category: 'network', total: 2, passed: 2 },
      { category: 'files', total: 1, passed: 0 },
    ]);
    expect(formatCategories(checks, makePaint(false)).split('\n')).toEqual([
      '  CATEGORY  PASSED',
      '  network   2/2     passed',
      '  files     0/1     FAILED',
      '',
    ]);
  });

  it('shows the outcome of a check and escapes its text', () => {
    expect(formatCheck(check('files', false), makePaint(false))).toBe(
      '  FAILED  hostile: a file\\n\n          IT GOT 1\n',
    );
  });
});
