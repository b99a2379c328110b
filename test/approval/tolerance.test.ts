import { describe, expect, it } from 'vitest';
import { THRESHOLDS, type Tolerance, whyItAsks } from '../../src/approval/tolerance.js';
import { RISK_BANDS, type RiskBand } from '../../src/plugin/risk.js';

const asks = (risk: RiskBand, tolerance: Tolerance | undefined, byFlagAlone = false): boolean =>
  whyItAsks({ risk, riskWhy: 'so', requireApproval: false, byFlagAlone }, tolerance) !== undefined;

describe('a tolerance and a band decide whether a call asks', () => {
  it.each([
    ['strict', 'ask ask ask'],
    ['default', 'run ask ask'],
    ['relaxed', 'run run ask'],
    ['full', 'run run run'],
  ] as const)('%s: low, medium, high → %s', (tolerance, expected) => {
    for (const byFlagAlone of [false, true]) {
      const got = RISK_BANDS.map((band) => (asks(band, tolerance, byFlagAlone) ? 'ask' : 'run'));
      expect(got.join(' ')).toBe(expected);
    }
  });
});

describe('where the host chose no tolerance', () => {
  it('what is high asks, and the rest runs', () => {
    expect(RISK_BANDS.map((band) => asks(band, undefined))).toEqual([false, false, true]);
  });

  it('a format that asks by its flag alone asks by its flag alone', () => {
    expect(RISK_BANDS.map((band) => asks(band, undefined, true))).toEqual([false, false, false]);
  });
});

it('what requires approval asks under every tolerance', () => {
  for (const tolerance of [undefined, ...Object.keys(THRESHOLDS)] as (Tolerance | undefined)[]) {
    const tool = { risk: 'low', riskWhy: '', requireApproval: true, byFlagAlone: true } as const;
    expect(whyItAsks(tool, tolerance)).toContain('requires approval');
  }
});

it('says which band it was, and what made it that', () => {
  const tool = { risk: 'high', riskWhy: 'it runs unconfined', requireApproval: false } as const;
  expect(whyItAsks({ ...tool, byFlagAlone: false }, 'default')).toBe(
    'its risk is high: it runs unconfined',
  );
});
