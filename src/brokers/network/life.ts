import type { BulkheadError } from '../../errors.js';
import type { NetworkLimits } from './limits.js';
import type { Refusals } from './refusals.js';

/**
 * The life of one request, from `fetch` until its body has been read: one signal that everything
 * about it listens to, and one place that ends it.
 */
export interface Life {
  /** Aborts with a `BulkheadError` as its reason: given up, out of time, revoked, over a limit. */
  readonly signal: AbortSignal;
  fail(error: BulkheadError): void;
  /** The request is over, well or not. What was registered is run, last first. Idempotent. */
  end(): void;
  onEnd(task: () => void): void;
}

export function startLife(caller: AbortSignal, limits: NetworkLimits, refusals: Refusals): Life {
  const controller = new AbortController();
  const tasks: (() => void)[] = [];
  let ended = false;

  const fail = (error: BulkheadError): void => {
    if (!ended) controller.abort(error);
  };
  const giveUp = (): void => fail(refusals.cancelled());
  const outOfTime = (): void => fail(refusals.limit('totalMs', 'it took too long'));

  if (caller.aborted) giveUp();
  else caller.addEventListener('abort', giveUp, { once: true });
  const timer = setTimeout(outOfTime, limits.totalMs);
  // A body that nobody reads must not keep the host's process from ending.
  timer.unref();

  return {
    signal: controller.signal,
    fail,
    end: () => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      caller.removeEventListener('abort', giveUp);
      for (const task of tasks.toReversed()) task();
    },
    onEnd: (task) => {
      if (ended) task();
      else tasks.push(task);
    },
  };
}
