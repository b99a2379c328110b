import { expect } from 'vitest';
import type { BulkheadEvent, CallResult, Engine, ErrorCode } from '../../src/index.js';

/** What came of an attempt. */
export interface Outcome {
  readonly engine: Engine;
  readonly result: CallResult;
  readonly elapsedMs: number;
  readonly deadlineMs: number;
  /** Everything that was told while it ran. */
  readonly events: readonly BulkheadEvent[];
}

/** Throws where the attempt succeeded. */
export type Verdict = (outcome: Outcome) => void | Promise<void>;

/** It ran to its end, and came back with empty hands. */
export const gotNothing: Verdict = ({ result }) => {
  expect(textOf(result)).toBe('{"got":null}');
};

/** It came back with exactly this. */
export function got(value: unknown): Verdict {
  return ({ result }) => {
    expect({ value: result.value, text: textOf(result) }).toMatchObject({ value: { got: value } });
  };
}

/** It was refused, in words that match. */
export function refused(code: ErrorCode, words?: RegExp): Verdict {
  return ({ result }) => {
    expect({ code: result.code, text: textOf(result) }).toEqual({
      code,
      text: words === undefined ? expect.any(String) : expect.stringMatching(words),
    });
  };
}

/** How long after its deadline a caller may wait for its answer, on a machine that is busy. */
const SLACK_MS = 1_500;

/** Its deadline came, and the caller was told so in time. */
export const outOfTime: Verdict = ({ result, elapsedMs, deadlineMs }) => {
  expect({ code: result.code, text: textOf(result) }).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  expect(elapsedMs).toBeLessThan(deadlineMs + SLACK_MS);
};

/** Its guest ended, or was ended, for one of these reasons. */
export function ended(...codes: readonly ErrorCode[]): Verdict {
  return ({ result, elapsedMs, deadlineMs }) => {
    expect({ code: result.code, text: textOf(result) }).toMatchObject({
      code: expect.toBeOneOf([...codes]),
    });
    expect(elapsedMs).toBeLessThan(deadlineMs + SLACK_MS);
  };
}

/** All of these. */
export function both(...verdicts: readonly Verdict[]): Verdict {
  return async (outcome) => {
    for (const verdict of verdicts) await verdict(outcome);
  };
}

function textOf({ content }: CallResult): string {
  return content.map(({ text }) => text).join(' ');
}
