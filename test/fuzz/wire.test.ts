import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IncomingRequest, Service } from '../../sandbox/wire/service.js';
import { runs } from '../property-runs.js';
import { type End, makeEnd } from '../sandbox/wire/loopback.js';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Question {
  readonly label: number;
  readonly request: IncomingRequest;
  readonly answer: (value: unknown) => void;
  readonly fail: (error: Error) => void;
}

/** One end, with the bytes that are on their way to the other, and what it was asked. */
interface Side {
  readonly end: End;
  readonly onTheWay: Uint8Array[];
  readonly questions: Question[];
  readonly arrived: string[];
}

interface Pair {
  readonly sides: readonly [Side, Side];
  /** By label: what came of each request. */
  readonly outcomes: Map<number, string>;
  readonly asked: { readonly label: number; readonly cancel: (why: string) => void }[];
  readonly streams: string[];
}

/** What has to hold in the end: each request has its own answer, each stream its own bytes. */
interface Expected {
  readonly answers: Map<number, string>;
  readonly streams: string[];
}

function makePair(): Pair {
  const sides = [0, 1].map((): Side => {
    const questions: Question[] = [];
    const onTheWay: Uint8Array[] = [];
    const arrived: string[] = [];
    const service: Service = {
      request: (_method, params, request) =>
        new Promise((answer, fail) => {
          questions.push({ label: Number(params), request, answer, fail });
        }),
      notice: (_method, params) => {
        void readAll(end, Number(params)).then((text) => arrived.push(text));
      },
    };
    const end: End = makeEnd(service, (bytes) => onTheWay.push(bytes));
    return { end, onTheWay, questions, arrived };
  });
  return {
    sides: sides as unknown as Pair['sides'],
    outcomes: new Map(),
    asked: [],
    streams: [],
  };
}

async function readAll(end: End, streamId: number): Promise<string> {
  const source = end.peer.acceptStream(streamId);
  let text = '';
  for (let bytes = await source.pull(); bytes !== undefined; bytes = await source.pull()) {
    text += Buffer.from(bytes).toString();
  }
  return text;
}

/** Hands so many bytes on to the other side, wherever that cuts a frame. */
function deliver(pair: Pair, from: 0 | 1, count: number): void {
  const { onTheWay } = pair.sides[from];
  const [first] = onTheWay;
  if (first === undefined) return;
  const piece = first.slice(0, count);
  if (count >= first.length) onTheWay.shift();
  else onTheWay[0] = first.slice(count);
  pair.sides[from === 0 ? 1 : 0].end.peer.receive(piece);
}

type Command = fc.AsyncCommand<Expected, Pair>;

/** A step that is always possible. */
function step(name: string, act: (model: Expected, pair: Pair) => void): Command {
  return {
    check: () => true,
    run: async (model, pair) => {
      act(model, pair);
      await settle();
      for (const { end } of pair.sides) expect(end.violations).toEqual([]);
    },
    toString: () => name,
  };
}

const side = fc.constantFrom(0 as const, 1 as const);

const commands: fc.Arbitrary<Command>[] = [
  side.map((from) =>
    step(`ask from ${from}`, (model, pair) => {
      const label = pair.asked.length;
      const asked = pair.sides[from].end.peer.ask('m', label);
      pair.asked.push({ label, cancel: asked.cancel });
      model.answers.set(label, `answer ${label}`);
      void asked.answer.then(
        (value) => pair.outcomes.set(label, typeof value === 'string' ? value : '?'),
        (error: unknown) => pair.outcomes.set(label, String(error)),
      );
    }),
  ),
  fc.tuple(side, fc.nat(9)).map(([of, which]) =>
    step(`answer one of ${of}`, (_model, { sides }) => {
      const question = sides[of].questions[which];
      question?.answer(`answer ${question.label}`);
    }),
  ),
  fc.tuple(side, fc.nat(9)).map(([of, which]) =>
    step(`fail one of ${of}`, (model, { sides, outcomes }) => {
      const [question] = sides[of].questions.splice(which, 1);
      if (question === undefined) return;
      // One that was answered before keeps its answer.
      question.fail(new Error(`failed ${question.label}`));
      question.answer('too late');
      if (!outcomes.has(question.label)) model.answers.set(question.label, 'either');
    }),
  ),
  fc.nat(9).map((which) =>
    step('cancel', (_model, { asked }) => {
      asked[which]?.cancel(`enough of ${which}`);
    }),
  ),
  fc.tuple(side, fc.array(fc.string({ maxLength: 2_000 }), { maxLength: 3 })).map(([from, parts]) =>
    step(`stream from ${from}`, (model, { sides }) => {
      const { peer } = sides[from].end;
      const left = parts.map((part) => Buffer.from(part));
      const id = peer.openStream({ pull: async () => left.shift(), cancel: () => {} });
      peer.notify('stream', id);
      model.streams.push(`${1 - from}${parts.join('')}`);
    }),
  ),
  fc
    .tuple(side, fc.integer({ min: 1, max: 400 }))
    .map(([from, count]) =>
      step(`deliver ${count} of ${from}`, (_model, pair) => deliver(pair, from, count)),
    ),
];

describe('two honest peers', () => {
  it('give every request its own answer and every stream its own bytes, in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), async (steps) => {
        const pair = makePair();
        const model: Expected = { answers: new Map(), streams: [] };
        await fc.asyncModelRun(() => ({ model, real: pair }), steps);

        for (let idle = 0; idle < 3;) {
          idle = pair.sides.every(({ onTheWay }) => onTheWay.length === 0) ? idle + 1 : 0;
          for (const from of [0, 1] as const) deliver(pair, from, Infinity);
          for (const { questions } of pair.sides) {
            for (const { answer, label } of questions) answer(`answer ${label}`);
          }
          await settle();
        }
        for (const [label, answer] of model.answers) {
          if (answer === 'either')
            expect(pair.outcomes.get(label)).toMatch(/^(answer|Wire.*failed)/);
          else expect(pair.outcomes.get(label)).toBe(answer);
        }
        const arrived = pair.sides.flatMap((one, index) =>
          one.arrived.map((text) => `${index}${text}`),
        );
        expect(arrived.toSorted()).toEqual(model.streams.toSorted());
        for (const { end } of pair.sides) {
          expect([end.peer.openRequests, end.peer.strayAnswers]).toEqual([0, 0]);
          expect(end.violations).toEqual([]);
        }
      }),
      { numRuns: runs(60) },
    );
  });
});
