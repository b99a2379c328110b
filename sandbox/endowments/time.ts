import { makeDate } from './date.js';
import { makeRevocation } from './denial.js';
import type { Endowed, Endowment, EndowmentPowers } from './endowment.js';
import { makeIntl } from './intl.js';

/**
 * The clock: `Date` whole, `Intl` and `performance.now()`. Withheld, there is still a `Date` for
 * every computation that needs no clock, and what would read it throws the denial.
 */
export const time: Endowment = {
  permission: 'time',
  globals: ['Date', 'Intl', 'performance'],
  make: (powers): Endowed => {
    const clock = makeClock(powers, 'held');
    return {
      globals: { Date: makeDate(powers.feralDate, clock.now), ...clockGlobals(powers, clock) },
      revoke: clock.revoke,
      restore: () => {
        clock.restore();
        return undefined;
      },
    };
  },
  withheld: (powers: EndowmentPowers): Endowed => {
    const clock = makeClock(powers, 'withheld');
    let given = false;
    return {
      globals: { Date: makeDate(powers.feralDate, clock.now) },
      revoke: clock.revoke,
      restore: () => {
        clock.restore();
        if (given) return undefined;
        given = true;
        return clockGlobals(powers, clock);
      },
    };
  },
};

/** Reads the time while the permission is held, and throws what fits where it is not. */
interface Clock {
  readonly now: (wanted: string) => number;
  readonly elapsed: (wanted: string) => number;
  readonly revoke: () => void;
  readonly restore: () => void;
}

function makeClock(powers: EndowmentPowers, from: 'held' | 'withheld'): Clock {
  let state: 'held' | 'withheld' | 'revoked' = from;
  const whileHeld = (read: () => number) => {
    return (wanted: string): number => {
      if (state === 'withheld') throw powers.denial('time', wanted);
      if (state === 'revoked') throw makeRevocation(powers.plugin, 'time', wanted);
      return read();
    };
  };
  return {
    now: whileHeld(() => powers.clock.now()),
    elapsed: whileHeld(() => powers.clock.monotonic()),
    revoke: () => {
      if (state === 'held') state = 'revoked';
    },
    restore: () => {
      state = 'held';
    },
  };
}

/** What has no use without the clock, and is absent until it is granted. */
function clockGlobals(
  powers: EndowmentPowers,
  clock: Clock,
): { readonly Intl: unknown; readonly performance: unknown } {
  return {
    Intl: makeIntl(powers.feralIntl, clock.now),
    performance: {
      now: () => clock.elapsed('performance.now'),
      timeOrigin: powers.clock.now() - powers.clock.monotonic(),
    },
  };
}
