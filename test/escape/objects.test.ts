import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe } from 'vitest';
import { stage } from './attempt.js';
import { gotNothing } from './verdicts.js';

describe('code that follows every property of what it is given', () => {
  let server: Server | undefined;
  afterAll(() => server?.close());

  const escapeAttempt = stage({
    villain: 'walks-every-object',
    options: async () => {
      server = createServer((_request, response) => response.end('an answer'));
      await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      return {
        env: { GRANTED: 'yes' },
        network: { overrides: [{ host: 'api.example.com', url: `http://127.0.0.1:${port}` }] },
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
