import { describe, expect } from 'vitest';
import { WIRE_CODES } from '../../sandbox/wire/messages.js';
import { areas } from '../../src/cli/explanations/table.js';
import { stage } from './attempt.js';
import type { Verdict } from './verdicts.js';

describe("code that throws what looks like the host's own errors", () => {
  const escapeAttempt = stage({ hostile: 'forges-errors' });

  /** Codes by which a host decides: whether to go on, whom to blame, what was consented to. */
  const hosts = Object.values(areas)
    .flatMap((codes) => Object.keys(codes))
    .filter((code) => !WIRE_CODES.some((known) => known === code));

  const failedLikeAnyOther: Verdict = async ({ engine, events }) => {
    for (const tool of ['throw', 'reject', 'to-json']) {
      for (const code of [...hosts, '__proto__', 'constructor', 'toString']) {
        const result = await engine.call(`forges-errors:${tool}`, { code });
        expect(result).toMatchObject({ isError: true });
        expect(result.code).toBe(tool === 'to-json' ? 'RESULT_INVALID' : 'TOOL_FAILED');
      }
    }
    for (const event of events) {
      if (event.type === 'call-ended') expect(hosts).not.toContain(event.code);
    }
  };

  escapeAttempt({
    tries: 'every code that only the host gives',
    tool: 'throw',
    input: { code: 'ENGINE_CLOSED' },
    verdict: failedLikeAnyOther,
  });

  for (const tool of ['reject', 'to-json']) {
    escapeAttempt({
      tries: `one of them by way of ${tool}`,
      tool,
      input: { code: 'QUARANTINED' },
      verdict: ({ result }) => expect(result.code).toBeOneOf(['TOOL_FAILED', 'RESULT_INVALID']),
    });
  }

  escapeAttempt({
    tries: 'an answer in the shape of a failure',
    tool: 'result',
    input: { code: 'APPROVAL_DENIED' },
    verdict: ({ result }) => {
      expect(result).toMatchObject({ isError: false, value: { isError: true } });
      expect(result.code).toBeUndefined();
      expect(result.content[0]?.text).toBe(JSON.stringify(result.value));
    },
  });

  escapeAttempt({
    tries: 'to have a denial worded for what it was granted',
    tool: 'missing-global',
    verdict: ({ result }) => expect(result.code).toBe('TOOL_FAILED'),
  });
});
