import { describe } from 'vitest';
import { stage } from './attempt.js';
import { serve, serveDeadEnd } from './servers.js';
import { gotNothing } from './verdicts.js';

describe('code that follows every property of what it is given', () => {
  const escapeAttempt = stage({
    hostile: 'walks-every-object',
    options: async () => {
      const { url } = await serve((_request, response) => response.end('an answer'));
      const { url: proxy } = await serveDeadEnd();
      return {
        env: { GRANTED: 'yes' },
        network: { overrides: [{ host: 'api.example.com', url }], proxy },
      };
    },
  });

  escapeAttempt({
    tries: 'every global',
    tool: 'globals',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'what a call hands over: input, variables, logger and signal',
    tool: 'a-call',
    input: { text: 'a', list: [{}] },
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'handles, iterators and copies',
    tool: 'handles-and-iterators',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'abort events, their targets and their reasons',
    tool: 'events',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'what the network answers, down to the bytes',
    tool: 'an-answer',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'what reading a file answers',
    tool: 'a-file',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'every error that it can cause',
    tool: 'errors',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'what its own traps, getters and callbacks are called with',
    tool: 'captured-arguments',
    verdict: gotNothing,
  });
});
