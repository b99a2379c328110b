import { WireViolation } from './failure.js';
import type { WireLimits } from './limits.js';

const SECOND_MS = 1000;

/**
 * Counts what the other side says without having been asked. Throws `WireViolation` once that is
 * more in one second than the limits allow.
 */
export function makeUnaskedMeter(
  limits: WireLimits,
  now: () => number,
): (characters: number) => void {
  let began = -Infinity;
  let messages = 0;
  let total = 0;
  return (characters) => {
    const at = now();
    if (at - began >= SECOND_MS) {
      began = at;
      messages = 0;
      total = 0;
    }
    messages += 1;
    total += characters;
    if (messages > limits.maxUnaskedPerSecond || total > limits.maxUnaskedCharactersPerSecond) {
      throw new WireViolation(
        `${messages} messages of ${total} characters in one second that nobody asked for`,
      );
    }
  };
}
