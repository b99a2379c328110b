import { isBulkheadError } from '../../errors.js';
import { REMOTE_LIMITS } from '../limits.js';

/** Waits, or rejects as soon as the signal aborts. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/**
 * Tries again what failed, with growing pauses, as long as that can do no harm: what certainly did
 * not start may be tried again by anybody; what may have started, only where doing it twice is
 * doing it once.
 */
export async function attempt<Result>(
  run: () => Promise<Result>,
  {
    idempotent,
    signal,
    pause,
  }: { readonly idempotent: boolean; readonly signal: AbortSignal; readonly pause: Pause },
): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await run();
    } catch (error) {
      const again = notStarted(error) || (idempotent && mayPass(error));
      if (!again || attempts === REMOTE_LIMITS.maxAttempts || signal.aborted) throw error;
      await pause(pauseMs(error, attempts), signal);
    }
  }
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

function pauseMs(error: unknown, attempts: number): number {
  const asked = isBulkheadError(error, 'BUSY') ? error.details.retryAfterMs : 0;
  return Math.min(Math.max(asked, FIRST_PAUSE_MS * 4 ** (attempts - 1)), LONGEST_PAUSE_MS);
}

/** Whether the server never saw the request, or says that it did nothing about it. */
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

/** Whether another attempt may fare better. */
function mayPass(error: unknown): boolean {
  return (
    isBulkheadError(error, 'NETWORK_FAILED') ||
    isBulkheadError(error, 'TOOL_FAILED') ||
    isBulkheadError(error, 'DEADLINE_EXCEEDED')
  );
}

export const pause: Pause = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', give);
      resolve();
    }, milliseconds);
    const give = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener('abort', give, { once: true });
  });
