import { describe, expect, it } from 'vitest';
import { expectBreath, fixture, openEngine, stage } from './attempt.js';
import { watchHost } from './host-watch.js';
import { outOfTime, refused, type Verdict } from './verdicts.js';

/** Why each of these is not even handed to a compiler. */
const REFUSED = {
  'refers-to-the-web': /outside the schema/,
  'refers-to-a-file': /outside the schema/,
  'refers-to-a-relative-file': /outside the schema/,
  'refers-to-a-meta-schema': /outside the schema/,
  'refers-to-a-prototype': /not a schema in this document/,
  'refers-to-itself': /without end/,
  'refers-in-a-circle': /without end/,
  'refers-dynamically-in-a-circle': /without end/,
  'names-itself-elsewhere': /outside the schema/,
  async: /not an allowed keyword/,
  'async-inside': /not an allowed keyword/,
  data: /\$data/,
  'unknown-dialect': /not a supported draft/,
  'too-deep': /deeper than 32/,
  'too-large': /1000 objects/,
  'too-long': /65536 characters/,
  'too-long-a-pattern': /2000 characters/,
  'no-object': /not an object/,
  'a-text': /not an object/,
  'a-getter-that-changes': /outside the schema/,
};

describe('a schema that attacks its compiler', () => {
  const escapeAttempt = stage({ hostile: 'bombs-its-schemas' });
  const input = { a: { b: 1 } };

  // Each of them has a loop that never ends where a name would become code.
  const compiles: Readonly<Record<string, Verdict>> = {
    'code-in-property-names': refused('INVALID_INPUT', /additional properties/),
    'code-in-required-names': refused('INVALID_INPUT', /required property/),
    'code-in-patterns': runs,
    'code-in-constants': refused('INVALID_INPUT', /equal to constant/),
    'code-in-defaults': runs,
    'code-in-comments': runs,
    'code-in-ids': refused('INVALID_INPUT', /must be string/),
    'code-in-formats': runs,
    'code-in-keywords': refused('INVALID_SCHEMA', /nullable/),
    'code-in-numbers': runs,
    'code-in-dependencies': runs,
    'an-odd-type': refused('INVALID_SCHEMA', /is not a type/),
  };
  for (const [tool, verdict] of Object.entries(compiles)) {
    escapeAttempt({ tries: tool.replaceAll('-', ' '), tool, input, verdict });
  }

  escapeAttempt({
    tries: 'a thousand million checks of one value',
    tool: 'references-that-fan-out',
    input,
    deadlineMs: 400,
    verdict: outOfTime,
  });

  escapeAttempt({
    tries: 'an input as deep as its schema goes, which is endless',
    tool: 'recursive',
    input: JSON.parse(`${'{"a":'.repeat(3_000)}{}${'}'.repeat(3_000)}`),
    verdict: ({ result }) => expect(result.code).toBeOneOf([undefined, 'INVALID_INPUT']),
  });

  escapeAttempt({
    tries: 'schemas that are refused, each alone and with its reason',
    tool: 'breathe',
    verdict: ({ engine }) => {
      const problems = engine.plugins()[0]?.problems ?? [];
      for (const [tool, why] of Object.entries(REFUSED)) {
        const words = new RegExp(`bombs-its-schemas:${tool} cannot be used: .*${why.source}`);
        const { code, message } = problems.find((one) => one.message.includes(`:${tool} `)) ?? {};
        expect({ code, message }).toEqual({
          code: 'INVALID_SCHEMA',
          message: expect.stringMatching(words),
        });
        expect(engine.catalog.find(tool)).toBeUndefined();
      }
      expect(problems).toHaveLength(Object.keys(REFUSED).length);
    },
  });
});

function runs({ result }: Parameters<Verdict>[0]): void {
  expect(result.value).toBe('accepted');
}

describe('a plugin that describes more than anybody can read', () => {
  it('is read as far as the caps go, and blocks the host for no longer than that takes', async () => {
    const host = await watchHost();
    const engine = await openEngine({
      plugins: [fixture('bombs-the-catalog')],
    });
    const { blockedMs, grownMb } = await host.stop();
    const [plugin] = engine.plugins();
    await expectBreath(engine, 'bombs-the-catalog');
    await engine.close();
    expect(plugin?.tools).toHaveLength(1_000);
    expect(plugin?.alerts.length).toBeLessThanOrEqual(20);
    // 100 of the tools past the cap are named, the rest counted; 50 problems of other kinds.
    expect(plugin?.problems.length).toBeLessThanOrEqual(151);
    // A catalog of a thousand large schemas is checked in one piece, once.
    expect(blockedMs).toBeLessThan(600);
    expect(grownMb).toBeLessThan(400);
  });
});
