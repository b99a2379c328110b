import type { BulkheadError } from '../../errors.js';
import type { NetworkLimits } from '../limits.js';
import type { Refusals } from './refusals.js';

/** The lifetime of one request, from `fetch` until its body is read. */
export interface RequestLifetime {
  /** Aborts with a `BulkheadError` as its reason: cancelled, timed out, revoked, over a limit. */
  readonly signal: AbortSignal;
  fail(error: BulkheadError): void;
  /** Ends the request and runs the registered tasks, last first. Only the first call counts. */
  end(): void;
  onEnd(task: () => void): void;
}

export function startRequestLifetime(
  caller: AbortSignal,
  limits: NetworkLimits,
  refusals: Refusals,
): RequestLifetime {
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
  // A body that is never read does not prevent the host's process from exiting.
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
