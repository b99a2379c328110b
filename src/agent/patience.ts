import { BulkheadError } from '../errors.js';
import type { Run } from './run.js';

/**
 * Waits for a model, or whatever stands for one, as long as the turn lasts and no longer than its
 * `modelTimeoutMs`, whether or not that heeds the signal it is given. Rejects `MODEL_FAILED` where
 * it took too long, and with the signal's reason where the turn was given up.
 */
export async function waitForModel<Answer>(
  { options: { modelTimeoutMs }, signal }: Pick<Run, 'options' | 'signal'>,
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const tooLate = new AbortController();
  const given = AbortSignal.any([signal, tooLate.signal]);
  given.throwIfAborted();
  const timer = setTimeout(() => tooLate.abort(takesTooLong(modelTimeoutMs)), modelTimeoutMs);
  let onAbort: () => void = () => {};
  const over = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(asError(given.reason));
    given.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work(given), over]);
  } finally {
    clearTimeout(timer);
    given.removeEventListener('abort', onAbort);
  }
}

function takesTooLong(ms: number): BulkheadError {
  return new BulkheadError(
    'MODEL_FAILED',
    `The model did not answer within ${ms} ms. Raise the agent’s option modelTimeoutMs to allow it.`,
    {},
  );
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The turn was given up.');
}
