import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { makeCpuBudget } from '../../src/guests/cpu-budget.js';

const limits = { cpuMs: 1_000, cpuWindowMs: 10_000, cpuPerCallMs: 100 };

describe('the CPU budget', () => {
  it('is exceeded by the use within the window, and reports by how much', () => {
    const allowance = makeCpuBudget(limits);
    allowance.charge(0, 600, 0);
    expect(allowance.overdraft).toBeUndefined();
    allowance.charge(9_000, 600, 0);
    expect(allowance.overdraft).toMatch(/used 1200 ms .* within 10000 ms; the limit is 1000/);
  });

  it('ignores use before the window', () => {
    const allowance = makeCpuBudget(limits);
    for (let at = 0; at < 1_000_000; at += 10_000) {
      allowance.charge(at, 900, 0);
      expect(allowance.overdraft).toBeUndefined();
    }
  });

  it('rises with each call within the window', () => {
    const allowance = makeCpuBudget(limits);
    allowance.charge(0, 1_900, 10);
    expect(allowance.overdraft).toBeUndefined();
    allowance.charge(1, 200, 0);
    expect(allowance.overdraft).toMatch(/used 2100 ms .* the limit is 2000 ms$/);
  });

  it('ignores calls before the window', () => {
    const allowance = makeCpuBudget(limits);
    allowance.charge(0, 0, 1_000);
    allowance.charge(10_000, 1_001, 0);
    expect(allowance.overdraft).toMatch(/used 1001 ms .* the limit is 1000 ms$/);
  });

  it('does not depend on the order of charges within the window', () => {
    const charge = fc.record({ usedMs: fc.nat(500), calls: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(charge, { maxLength: 20 }), (charges) => {
        const [one, other] = [makeCpuBudget(limits), makeCpuBudget(limits)];
        for (const { usedMs, calls } of charges) one.charge(0, usedMs, calls);
        for (const { usedMs, calls } of charges.toReversed()) other.charge(0, usedMs, calls);
        expect(one.overdraft).toBe(other.overdraft);
      }),
    );
  });
});
