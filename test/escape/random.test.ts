import { describe } from 'vitest';
import { stage } from './attempt.js';
import { gotNothing } from './verdicts.js';

describe('code that was not granted randomness', () => {
  const escapeAttempt = stage({ hostile: 'rolls-dice' });

  escapeAttempt({
    tries: 'every generator that it knows by name',
    tool: 'random',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'what was in memory before it',
    tool: 'memory',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'names, ids and orders without a guarantee',
    tool: 'names',
    verdict: gotNothing,
  });
});
