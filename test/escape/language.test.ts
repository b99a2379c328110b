import { describe } from 'vitest';
import { stage } from './attempt.js';
import { gotNothing } from './verdicts.js';

describe('code that changes what all code shares', () => {
  const escapeAttempt = stage({ hostile: 'rewrites-the-language' });

  escapeAttempt({
    tries: 'every intrinsic, in every way that the language has',
    tool: 'every-intrinsic',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'to give them other prototypes',
    tool: 'prototypes-of-prototypes',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'to replace globals',
    tool: 'globals-that-others-use',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: "to have the engine's own code in its process call what is its",
    tool: 'what-the-engine-uses',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'to be constructed by the engine as a species',
    tool: 'species-of-the-engine',
    verdict: gotNothing,
  });

  for (const which of ['first', 'second']) {
    escapeAttempt({
      tries: `to leave something in what the next call is handed, and finds nothing in its ${which}`,
      tool: 'next-call',
      verdict: gotNothing,
    });
  }
});
