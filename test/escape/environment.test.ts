import { describe } from 'vitest';
import { stage } from './attempt.js';
import { got, gotNothing } from './verdicts.js';

describe('code that was granted two variables', () => {
  const escapeAttempt = stage({
    hostile: 'reads-variables',
    options: () => ({
      env: { GRANTED: 'yes', SECRET: 'a secret', HOME: '/root', PATH: '/bin', TZ: 'Mars/Olympus' },
    }),
  });

  escapeAttempt({
    tries: 'every other, by every way that there is to read one',
    tool: 'env',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'names that are another at the second look',
    tool: 'names-that-are-objects',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'to list what there is',
    tool: 'listing',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'what resolveTools is handed',
    tool: 'resolve',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'to change them for others',
    tool: 'changes',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'for more than the one of them that is set',
    tool: 'granted',
    verdict: got('yes,absent'),
  });
});
