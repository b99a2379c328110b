import { describe, expect, it } from 'vitest';
import { THRESHOLDS, type Tolerance, whyItAsks } from '../../src/approval/policy.js';
import { RISK_BANDS, type RiskBand } from '../../src/plugin/risk.js';

const needsApproval = (
  risk: RiskBand,
  tolerance: Tolerance | undefined,
  byFlagAlone = false,
): boolean =>
  whyItAsks({ risk, riskWhy: 'so', requireApproval: false, byFlagAlone }, tolerance) !== undefined;

describe('a tolerance and a risk band decide whether a call needs approval', () => {
  it.each([
    ['strict', 'ask ask ask'],
    ['default', 'run ask ask'],
    ['relaxed', 'run run ask'],
    ['full', 'run run run'],
  ] as const)('%s: low, medium, high → %s', (tolerance, expected) => {
    for (const byFlagAlone of [false, true]) {
      const got = RISK_BANDS.map((band) =>
        needsApproval(band, tolerance, byFlagAlone) ? 'ask' : 'run',
      );
      expect(got.join(' ')).toBe(expected);
    }
  });
});

describe('without a tolerance', () => {
  it('only high risk needs approval', () => {
    expect(RISK_BANDS.map((band) => needsApproval(band, undefined))).toEqual([false, false, true]);
  });

  it('a format whose flag alone decides ignores the risk', () => {
    expect(RISK_BANDS.map((band) => needsApproval(band, undefined, true))).toEqual([
      false,
      false,
      false,
    ]);
  });
});

it('the flag requires approval under every tolerance', () => {
  for (const tolerance of [undefined, ...Object.keys(THRESHOLDS)] as (Tolerance | undefined)[]) {
    const tool = { risk: 'low', riskWhy: '', requireApproval: true, byFlagAlone: true } as const;
    expect(whyItAsks(tool, tolerance)).toContain('requires approval');
  }
});

it('whyItAsks names the band and its reason', () => {
  const tool = { risk: 'high', riskWhy: 'it runs unconfined', requireApproval: false } as const;
  expect(whyItAsks({ ...tool, byFlagAlone: false }, 'default')).toBe(
    'its risk is high: it runs unconfined',
  );
});
