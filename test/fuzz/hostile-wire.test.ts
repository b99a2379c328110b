import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FROM_GUEST } from '../../sandbox/wire/limits.js';
import { runs } from '../property-runs.js';
import { chunkFrame, makeEnd, rawFrame } from '../sandbox/wire/loopback.js';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a peer that says whatever it likes', () => {
  const id = fc.nat(6);
  const message = fc.oneof(
    fc.record({ t: fc.constant('reply'), i: id, v: fc.jsonValue({ maxDepth: 1 }) }),
    fc.record({
      t: fc.constant('failure'),
      i: id,
      e: fc.record({ name: fc.string(), message: fc.string() }),
    }),
    fc.record({ t: fc.constant('cancel'), i: id, why: fc.string() }),
    fc.record({ t: fc.constant('credit'), s: fc.nat(9), n: fc.nat(9) }),
    fc.record({ t: fc.constant('refuse'), s: fc.nat(9), why: fc.string() }),
    fc.record({ t: fc.constant('end'), s: fc.nat(9) }),
    fc.record({ t: fc.constant('notice'), m: fc.string(), p: fc.jsonValue() }),
  );
  const frames = fc.oneof(
    { weight: 9, arbitrary: message.map((some) => rawFrame(JSON.stringify(some))) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.uint8Array({ maxLength: 20 }), fc.integer({ min: 2, max: 255 }))
        .map(([bytes, kind]) => rawFrame(bytes, kind)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.nat(9), fc.uint8Array({ maxLength: 20 }))
        .map(([stream, bytes]) => chunkFrame(stream, bytes)),
    },
    { weight: 1, arbitrary: fc.json().map((text) => rawFrame(text)) },
  );
  // Where frames end is only known until something is no frame: that comes last.
  const tail = fc.oneof(
    fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    fc.constant(rawFrame('', 0, FROM_GUEST.maxMessageBytes + 1)),
  );

  it('answers no request but with the first answer to its id, and is cut off for good when it errs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(frames, { maxLength: 30 }),
        tail,
        fc.integer({ min: 1, max: 99 }),
        async (said, last, cut) => {
          const end = makeEnd({ request: () => new Promise(() => {}), notice: () => {} }, () => {});
          const outcomes: unknown[] = [];
          const questions = [1, 2, 3].map((_, index) =>
            end.peer.ask('m', null).answer.then(
              (value) => (outcomes[index] = ['value', value]),
              (error: unknown) => (outcomes[index] = ['error', error]),
            ),
          );
          const bytes = Buffer.concat([...said, last]);
          for (let at = 0; at < bytes.length; at += cut)
            end.peer.receive(bytes.subarray(at, at + cut));
          await settle();
          expect(end.violations.length).toBeLessThanOrEqual(1);

          const first = firstAnswers(said);
          outcomes.forEach((outcome, index) => {
            const [kind, what] = outcome as [string, unknown];
            if (kind === 'error' && what === end.violations[0]) return;
            const given = first.get(index + 1);
            if (kind === 'value') expect(what).toEqual(given?.v);
            else expect(given?.t).toBe('failure');
          });

          const written = end.written.length;
          if (end.violations.length > 0) {
            end.peer.receive(rawFrame(JSON.stringify({ t: 'request', i: 77, m: 'm' })));
            end.peer.notify('m', null);
            await settle();
            expect(end.written).toHaveLength(written);
          }
          end.peer.close(new Error('the end'));
          await Promise.all(questions);
          expect(outcomes.filter(Boolean)).toHaveLength(3);
        },
      ),
      { numRuns: runs(200) },
    );
  });
});

/** For each id the first message that would answer it, read without the product's own reader. */
function firstAnswers(said: readonly Buffer[]): Map<number, { t: string; v?: unknown }> {
  const found = new Map<number, { t: string; v?: unknown }>();
  for (const frame of said) {
    try {
      const message = JSON.parse(frame.subarray(5).toString()) as { t: string; i: number };
      const answers = message.t === 'reply' || message.t === 'failure';
      if (answers && !found.has(message.i)) found.set(message.i, message);
    } catch {
      // What is no message answers nothing.
    }
  }
  return found;
}
