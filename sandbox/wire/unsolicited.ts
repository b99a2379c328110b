import { WireViolation } from './failure.js';
import type { WireLimits } from './limits.js';

const SECOND_MS = 1000;

/**
 * Counts messages that are not an answer to a request. Throws `WireViolation` if one second has more
 * than the limits allow.
 */
export function makeUnsolicitedMeter(
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
    // guard: unsolicited-rate-cap
    if (
      messages > limits.maxUnsolicitedPerSecond ||
      total > limits.maxUnsolicitedCharactersPerSecond
    ) {
      throw new WireViolation(
        `${messages} messages of ${total} characters in one second that were not requested`,
      );
    }
  };
}
