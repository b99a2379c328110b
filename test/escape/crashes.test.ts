import { describe, expect, it } from 'vitest';
import { expectBreath, fixture, openEngine, stage } from './attempt.js';
import { ended, refused, type Verdict } from './verdicts.js';

describe('code that brings its process down', () => {
  const escapeAttempt = stage({
    hostile: 'crashes',
    options: () => ({ limits: { memoryMb: 32, maxLogLinesPerSecond: 100_000 } }),
  });

  const failed = refused('TOOL_FAILED');
  const goesOn =
    (value: string): Verdict =>
    ({ result }) =>
      expect(result.value).toBe(value);
  const toldOnce =
    (words: RegExp): Verdict =>
    ({ events, result }) => {
      expect(result.value).toBe('went on');
      const lines = events.flatMap((event) => (event.type === 'log' ? [event.text] : []));
      expect(lines).toContainEqual(expect.stringMatching(words));
    };

  const attempts: readonly (readonly [tool: string, tries: string, verdict: Verdict])[] = [
    ['recursion', 'recursion without an end', refused('TOOL_FAILED', /call stack/)],
    ['recursion-in-a-getter', 'recursion where its result is read', refused('RESULT_INVALID')],
    ['recursion-in-to-json', 'recursion in a toJSON', refused('RESULT_INVALID')],
    ['recursion-in-a-proxy', 'recursion through a hundred thousand Proxies', failed],
    ['recursion-in-a-pattern', 'recursion in a pattern', failed],
    ['recursion-in-code', 'recursion in the parser', failed],
    ['recursion-at-the-edge', 'calls with no stack left', goesOn('back from the edge')],
    ['flat-too-deep', 'a list too deep to be flattened', failed],
    ['array-too-long', 'a list of less than nothing', failed],
    ['concat-too-long', 'a text too long', failed],
    ['apply-too-many', 'ten million arguments', ended('TOOL_FAILED', 'GUEST_OUT_OF_MEMORY')],
    ['out-of-memory', 'the fatal error of V8', ended('GUEST_OUT_OF_MEMORY')],
    ['uncaught-error', 'an error that is not caught', toldOnce(/in a timer.*not caught/)],
    ['uncaught-rejection', 'a rejection that is not caught', toldOnce(/not caught/)],
    ['uncaught-nothing', 'a rejection with nothing', toldOnce(/not caught/)],
    ['uncaught-proxy', 'a rejection that throws where it is read', toldOnce(/not caught/)],
  ];
  for (const [tool, tries, verdict] of attempts) escapeAttempt({ tries, tool, verdict });
});

describe('code that crashes again and again', () => {
  it('costs no other plugin a call, and leaves no process behind', async () => {
    const guests = new Set<number>();
    const engine = await openEngine({
      plugins: [fixture('crashes'), fixture('floods')],
      limits: { memoryMb: 16, maxCrashes: 100 },
      onEvent: (event) => {
        if (event.type === 'guest-started') guests.add(event.pid);
        if (event.type === 'guest-ended') guests.delete(event.pid);
      },
    });
    for (let time = 0; time < 4; time += 1) {
      const [crash] = await Promise.all([
        engine.call('crashes:out-of-memory', {}),
        expectBreath(engine, 'floods'),
      ]);
      expect(crash.code).toBe('GUEST_OUT_OF_MEMORY');
    }
    await expectBreath(engine, 'crashes');
    expect(guests.size).toBe(2);
    await engine.close();
    await expect.poll(() => guests.size).toBe(0);
  });
});
