import type { ClockCapability } from './endowment.js';

/**
 * A clock that shows `startTime` (milliseconds since the epoch) now, and runs on from there. Without
 * it: the same clock. Timers run as before.
 */
export function clockFrom(startTime: number | undefined, clock: ClockCapability): ClockCapability {
  if (startTime === undefined) return clock;
  const offset = startTime - clock.now();
  return { ...clock, now: () => clock.now() + offset };
}
