/** What Pandora gives a tool that does not say: a minute. */
const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * Reads a tool's own timeout. The host's cap always holds: a timer beyond 2³¹ − 1 ms fires at once,
 * and one without end is no limit. Numbers that JSON cannot write arrive as words.
 */
export function readTimeout(
  value: unknown,
  maxTimeoutMs: number,
  report: (problem: string) => void,
): number {
  const fallback = Math.min(DEFAULT_TIMEOUT_MS, maxTimeoutMs);
  if (value === undefined || value === null) return fallback;
  const ms = value === 'Infinity' ? Infinity : value;
  if (typeof ms !== 'number' || !(ms > 0)) {
    report(`timeout: must be a number of milliseconds above 0; it gets ${fallback} ms`);
    return fallback;
  }
  if (ms <= maxTimeoutMs) return Math.ceil(ms);
  report(`timeout: is more than the host allows; it gets ${maxTimeoutMs} ms`);
  return maxTimeoutMs;
}
