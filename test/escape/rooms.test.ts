import { describe, expect, it } from 'vitest';
import { fixture, openEngine, stage } from './attempt.js';
import { gotNothing } from './verdicts.js';

describe('a tool that asks for less than its plugin', () => {
  const escapeAttempt = stage({
    hostile: 'asks-for-less',
    options: () => ({ env: { GRANTED: 'yes' } }),
  });

  escapeAttempt({
    tries: 'for all, and has all that was granted, not more',
    tool: 'all',
    verdict: ({ result }) => expect(result.value).toEqual(['time', 'environment', 'network']),
  });

  escapeAttempt({
    tries: 'what another tool, which has all, left for it',
    tool: 'none',
    verdict: gotNothing,
  });

  escapeAttempt({
    tries: 'more than the one permission that it asked for',
    tool: 'time-alone',
    verdict: ({ result }) => expect(result.value).toEqual(['time']),
  });

  escapeAttempt({
    tries: 'more than its plugin declared',
    tool: 'more-than-declared',
    verdict: async ({ result, engine }) => {
      expect(result.value).toEqual(['time', 'environment', 'network']);
      const effective = engine.plugins()[0]?.entries[0]?.effective;
      expect(effective).toMatchObject({
        random: false,
        fs: [],
        network: ['api.example.com'],
      });
    },
  });

  escapeAttempt({
    tries: 'to leave its compartment by saying so in its code',
    tool: 'in-host-mode',
    verdict: gotNothing,
  });
});

describe('a plugin that wants to run unconfined', () => {
  it('does not run unless the operator named it, whatever else was granted', async () => {
    for (const hostMode of [[], ['another'], ['DEMANDS-HOST-MODE']]) {
      await using engine = await openEngine({
        plugins: [fixture('demands-host-mode')],
        grant: 'declared',
        hostMode,
      });
      expect(engine.plugins()[0]).toMatchObject({
        state: 'failed',
        problems: [{ code: 'HOST_MODE_DENIED' }],
        tools: [],
      });
    }
  });
});
