import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startLoadDeadline } from '../../src/guests/load-deadline.js';

describe('the deadline of a load', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function passesAfter(waits: readonly number[]): number {
    let passedAtMs = NaN;
    const began = Date.now();
    const left = [...waits];
    startLoadDeadline(
      { pid: 1 },
      100,
      () => {
        passedAtMs = Date.now() - began;
      },
      () => left.shift(),
    );
    vi.advanceTimersByTime(10_000);
    return passedAtMs;
  }

  it('passes after its time if the guest had a processor', () => {
    expect(passesAfter([5, 5])).toBe(100);
  });

  it('is extended by the time in which the guest waited for a processor', () => {
    expect(passesAfter([5, 45, 45])).toBe(140);
    expect(passesAfter([0, 40, 60, 60])).toBe(160);
  });

  it('is never longer than three times its time', () => {
    expect(passesAfter([0, 1_000, 9_000, 9_000])).toBe(300);
  });

  it('passes after its time on a system that does not report waits', () => {
    expect(passesAfter([])).toBe(100);
  });

  it('does not pass once it is cancelled', () => {
    let passed = false;
    startLoadDeadline(
      { pid: 1 },
      100,
      () => {
        passed = true;
      },
      () => 0,
    )();
    vi.advanceTimersByTime(1_000);
    expect(passed).toBe(false);
  });
});
