import { setImmediate } from 'node:timers/promises';

/** So long everything else waits: other plugins' calls, a server's requests. */
const EVERY_MS = 10;

/**
 * Makes what lets the rest of the process run where it has not for a while: looks at the disk and at
 * what was kept are short, and thousands of plugins take a second of them.
 */
export function makePauses(): () => Promise<void> | undefined {
  let sinceMs = performance.now();
  return () => {
    if (performance.now() - sinceMs < EVERY_MS) return undefined;
    return setImmediate().then(() => {
      sinceMs = performance.now();
    });
  };
}
