import { describe, expect, it } from 'vitest';
import { startDeadline } from '../../../src/engine/call/call.js';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a deadline', () => {
  it('passes when its time is over', async () => {
    let passed = 0;
    startDeadline(10, () => (passed += 1));
    expect(passed).toBe(0);
    await expect.poll(() => passed).toBe(1);
  });

  it('does not advance during any of its pauses', async () => {
    let passed = false;
    const deadline = startDeadline(10_000, () => (passed = true));
    const short = startDeadline(20, () => (passed = true));
    short.pause();
    short.pause();
    short.resume();
    await pause(60);
    expect(passed).toBe(false);
    short.resume();
    await expect.poll(() => passed).toBe(true);
    deadline.clear();
  });

  it('never passes after it was cleared, even if it is resumed', async () => {
    let passed = false;
    const deadline = startDeadline(10, () => (passed = true));
    deadline.pause();
    deadline.clear();
    deadline.resume();
    await pause(50);
    expect(passed).toBe(false);
  });

  it('passes even if it is paused and resumed faster than timers fire', () => {
    const passes: number[] = [];
    const deadline = startDeadline(20, () => passes.push(performance.now()));
    // Only the time between a resume and the next pause counts, and a busy machine may stop this loop in the other part.
    const endsMs = performance.now() + 5000;
    while (passes.length === 0 && performance.now() < endsMs) {
      deadline.pause();
      deadline.resume();
    }
    for (let i = 0; i < 100; i += 1) {
      deadline.pause();
      deadline.resume();
    }
    expect(passes.length).toBe(1);
  });
});
