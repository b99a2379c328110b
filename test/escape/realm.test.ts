import { describe } from 'vitest';
import { stage } from './attempt.js';
import { gotNothing } from './verdicts.js';

describe('code that looks for a way out of its compartment', () => {
  const escapeAttempt = stage({ hostile: 'climbs-the-realm' });

  escapeAttempt({
    tries: 'the constructor of every kind of function',
    tool: 'function-constructors',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'the prototypes of every kind of iterator',
    tool: 'iterator-prototypes',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'to evaluate code in another scope',
    tool: 'evaluators',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'to import a module past every check of the text',
    tool: 'imports',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'what callbacks are called with, and on',
    tool: 'this-of-callbacks',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: "the engine's own names",
    tool: 'names-of-the-engine',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'to change what its bundle was called with',
    tool: 'the-linkage',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'to find who called it',
    tool: 'caller',
    verdict: gotNothing,
  });
});
