import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { stage } from './attempt.js';
import { both, outOfTime, refused, type Verdict } from './verdicts.js';

describe('code that gives more than anybody can take', () => {
  const escapeAttempt = stage({
    hostile: 'floods',
    options: () => ({ limits: { maxLogLinesPerSecond: 50 } }),
  });
  const deadlineMs = 400;

  /** Two windows of a second may touch the time that it ran, each with a line that counts the rest. */
  const fewLines: Verdict = ({ events }) => {
    const told = events.filter(({ type }) => type === 'log' || type === 'capability-denied');
    expect(told.length).toBeLessThanOrEqual(2 * 51);
  };
  const logs = {
    console: 'lines on its console',
    'console-in-one-go': 'lines on its console without a pause',
    'console-of-long-lines': 'long lines on its console',
    logger: 'lines in its logger',
    denials: 'what it was not granted, again and again',
    rejections: 'rejections that are not caught',
    'throwing-timers': 'timers that throw',
  };
  for (const [tool, tries] of Object.entries(logs)) {
    escapeAttempt({ tries, tool, deadlineMs, verdict: both(outOfTime, fewLines) });
  }

  escapeAttempt({
    tries: 'to drown what it says once the flood is over',
    tool: 'breathe',
    verdict: async ({ engine, events }) => {
      // The next second has room again, and says how much was dropped.
      await pause(1_000);
      const lines = (): readonly string[] =>
        events.flatMap((event) => (event.type === 'log' ? [event.text] : []));
      // On a busy machine, a call may end before its guest has the processor.
      await expect
        .poll(async () => {
          await engine.call('floods:logger', {}, { timeoutMs: 200 });
          return lines().length;
        })
        .toBeGreaterThan(1);
      expect(lines()[0]).toMatch(/^\d+ further lines in one second were dropped$/);
      expect(lines()[1]).toBe("{ a: [ 'line' ] }");
    },
  });

  const loads = {
    'timers-that-start-timers': 'timers that start two timers each',
    intervals: 'a thousand intervals',
    listeners: 'listeners',
    signals: 'signals',
    promises: 'promises that make two promises each',
  };
  for (const [tool, tries] of Object.entries(loads)) {
    escapeAttempt({ tries, tool, deadlineMs, verdict: outOfTime });
  }

  escapeAttempt({
    tries: 'more timers than it may have',
    tool: 'timers',
    verdict: refused('TOOL_FAILED', /1000 timers/),
  });
});
