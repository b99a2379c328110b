import { describe, expect } from 'vitest';
import { setTimeout as pause } from 'node:timers/promises';
import { expectBreath, stage } from './attempt.js';
import { both, outOfTime, type Verdict } from './verdicts.js';

describe('code that goes on when it should have ended', () => {
  const escapeAttempt = stage({ hostile: 'lives-on' });
  const deadlineMs = 250;

  const returned: Verdict = ({ result }) => expect(result.value).toBe('returned');
  const guestsEnded: Verdict = async ({ events }) => {
    const ended = () => events.filter(({ type }) => type === 'guest-ended').length;
    await expect.poll(ended).toBeGreaterThan(0);
  };

  escapeAttempt({
    tries: 'timers that outlive its answer, which go on in its own guest alone',
    tool: 'after-return',
    verdict: returned,
  });

  escapeAttempt({
    tries: 'to answer twice',
    tool: 'answers-twice',
    verdict: async ({ result }) => {
      expect(result.value).toBe('first');
      await pause(20);
      expect(result.value).toBe('first');
    },
  });

  escapeAttempt({
    tries: 'to live on after its deadline',
    tool: 'after-its-deadline',
    deadlineMs,
    verdict: both(outOfTime, guestsEnded, async ({ engine }) => {
      // A fresh guest: nothing of the old one's state is there, and nothing counts on.
      expect((await engine.call('lives-on:beats', {})).value).toBe(0);
      await pause(30);
      expect((await engine.call('lives-on:beats', {})).value).toBe(0);
    }),
  });

  escapeAttempt({
    tries: 'to settle when told to stop, and go on',
    tool: 'after-its-signal',
    deadlineMs,
    verdict: outOfTime,
  });

  escapeAttempt({
    tries: 'to hang before its answer has left',
    tool: 'hangs-right-after-return',
    deadlineMs,
    verdict: both(outOfTime, guestsEnded),
  });

  escapeAttempt({
    tries: 'to hang after its answer, which costs its own next call and no more',
    tool: 'hangs-after-return',
    verdict: both(returned, async ({ engine }) => {
      await pause(20);
      const next = await engine.call('lives-on:breathe', {}, { timeoutMs: deadlineMs });
      expect(next.code).toBe('DEADLINE_EXCEEDED');
      await expectBreath(engine, 'lives-on');
    }),
  });

  escapeAttempt({
    tries: 'to keep what it counted from one guest to the next',
    tool: 'beats',
    verdict: ({ result }) => expect(result.value).toBe(0),
  });
});
