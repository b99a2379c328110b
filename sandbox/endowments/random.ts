import { makeRevocation } from './denial.js';
import type { Endowed, Endowment } from './endowment.js';

/**
 * `Math.random`. The rest of `Math` is always there; withheld, only `random` throws. It is never
 * good enough for secrets, and nothing here is: there is no `crypto` under any permission.
 */
export const random: Endowment = {
  permission: 'random',
  globals: ['Math'],
  make: (powers): Endowed => {
    let revoked = false;
    return {
      globals: {
        Math: makeMath(() => {
          if (revoked) throw makeRevocation(powers.plugin, 'random', 'Math.random');
          return powers.random();
        }),
      },
      revoke: () => {
        revoked = true;
      },
    };
  },
  withheld: (powers): Endowed => ({
    globals: {
      Math: makeMath(() => {
        throw powers.denial('random', 'Math.random');
      }),
    },
    revoke: () => undefined,
  }),
};

function makeMath(draw: () => number): object {
  const members = Object.getOwnPropertyDescriptors(Math);
  const math: object = Object.create(Object.prototype, {
    ...members,
    random: { ...members.random, value: { random: () => draw() }.random },
  });
  return math;
}
