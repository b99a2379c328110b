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
    let revoked = false;
    const whileGranted = (read: () => number) => {
      return (wanted: string): number => {
        if (revoked) throw makeRevocation(powers.plugin, 'time', wanted);
        return read();
      };
    };
    const now = whileGranted(() => powers.clock.now());
    const elapsed = whileGranted(() => powers.clock.monotonic());
    const performance = {
      now: () => elapsed('performance.now'),
      timeOrigin: powers.clock.now() - powers.clock.monotonic(),
    };
    return {
      globals: {
        Date: makeDate(powers.feralDate, now),
        Intl: makeIntl(powers.feralIntl, now),
        performance,
      },
      revoke: () => {
        revoked = true;
      },
    };
  },
  withheld: (powers: EndowmentPowers): Endowed => ({
    globals: {
      Date: makeDate(powers.feralDate, (wanted) => {
        throw powers.denial('time', wanted);
      }),
    },
    revoke: () => undefined,
  }),
};
