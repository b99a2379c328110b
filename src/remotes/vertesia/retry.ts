import { setTimeout } from 'node:timers/promises';
import { isBulkheadError } from '../../errors.js';
import { REMOTE_LIMITS } from '../limits.js';

/**
 * Retries a failed call with growing pauses if a retry is safe. A call that did not start is safe to
 * retry. A call that may have started is retried only if it is idempotent.
 */
export async function retry<Result>(
  run: () => Promise<Result>,
  { idempotent, signal }: { readonly idempotent: boolean; readonly signal: AbortSignal },
): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await run();
    } catch (error) {
      // guard: retry-only-idempotent
      const isSafe = notStarted(error) || (idempotent && mayPass(error));
      if (!isSafe || attempts === REMOTE_LIMITS.maxAttempts || signal.aborted) throw error;
      await setTimeout(pauseMs(error, attempts), undefined, { signal }).catch(() =>
        signal.throwIfAborted(),
      );
    }
  }
}

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5_000;

function pauseMs(error: unknown, attempts: number): number {
  const requested = isBulkheadError(error, 'BUSY') ? error.details.retryAfterMs : 0;
  return Math.min(Math.max(requested, FIRST_PAUSE_MS * 4 ** (attempts - 1)), MAX_PAUSE_MS);
}

/** Whether the server did not receive the request, or reports that it did nothing. */
function notStarted(error: unknown): boolean {
  if (isBulkheadError(error, 'BUSY')) return true;
  if (!isBulkheadError(error, 'NETWORK_FAILED')) return false;
  const { cause } = error;
  return (
    cause instanceof Error &&
    'code' in cause &&
    typeof cause.code === 'string' &&
    NO_CONNECTION.has(cause.code)
  );
}

const NO_CONNECTION: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'ENODATA',
  'ESERVFAIL',
  'ETIMEOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
]);

/** Whether the next attempt may succeed. */
function mayPass(error: unknown): boolean {
  return (
    isBulkheadError(error, 'NETWORK_FAILED') ||
    isBulkheadError(error, 'TOOL_FAILED') ||
    isBulkheadError(error, 'DEADLINE_EXCEEDED')
  );
}
