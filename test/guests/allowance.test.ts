import { expect, it } from 'vitest';
import fc from 'fast-check';
import { makeAllowance } from '../../src/guests/allowance.js';

const limits = { cpuMs: 1_000, cpuWindowMs: 10_000, cpuPerCallMs: 100 };

it('what is used up in the window is too much, and says by how much', () => {
  const allowance = makeAllowance(limits);
  allowance.charge(0, 600, 0);
  expect(allowance.overdraft).toBeUndefined();
  allowance.charge(9_000, 600, 0);
  expect(allowance.overdraft).toMatch(/used 1200 ms .* within 10000 ms, and may use 1000/);
});

it('what was used before the window is forgotten', () => {
  const allowance = makeAllowance(limits);
  for (let at = 0; at < 1_000_000; at += 10_000) {
    allowance.charge(at, 900, 0);
    expect(allowance.overdraft).toBeUndefined();
  }
});

it('each call that came meanwhile allows for more', () => {
  const allowance = makeAllowance(limits);
  allowance.charge(0, 1_900, 10);
  expect(allowance.overdraft).toBeUndefined();
  allowance.charge(1, 200, 0);
  expect(allowance.overdraft).toMatch(/used 2100 ms .* and may use 2000$/);
});

it('what was allowed for calls before the window is gone', () => {
  const allowance = makeAllowance(limits);
  allowance.charge(0, 0, 1_000);
  allowance.charge(10_000, 1_001, 0);
  expect(allowance.overdraft).toMatch(/used 1001 ms .* and may use 1000$/);
});

it('no order of charges within one window matters', () => {
  const charge = fc.record({ usedMs: fc.nat(500), calls: fc.nat(3) });
  fc.assert(
    fc.property(fc.array(charge, { maxLength: 20 }), (charges) => {
      const [one, other] = [makeAllowance(limits), makeAllowance(limits)];
      for (const { usedMs, calls } of charges) one.charge(0, usedMs, calls);
      for (const { usedMs, calls } of charges.toReversed()) other.charge(0, usedMs, calls);
      expect(one.overdraft).toBe(other.overdraft);
    }),
  );
});
