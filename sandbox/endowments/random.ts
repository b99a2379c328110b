import { makeRevocation } from './denial.js';
import type { Endowed, Endowment, EndowmentPowers } from './endowment.js';

/**
 * `Math.random`. The rest of `Math` is always there; withheld, only `random` throws. It is never
 * good enough for secrets, and nothing here is: there is no `crypto` under any permission.
 */
export const random: Endowment = {
  permission: 'random',
  globals: ['Math'],
  make: (powers): Endowed => endowMath(powers, 'held'),
  withheld: (powers): Endowed => endowMath(powers, 'withheld'),
};

function endowMath(powers: EndowmentPowers, from: 'held' | 'withheld'): Endowed {
  let state: 'held' | 'withheld' | 'revoked' = from;
  return {
    globals: {
      Math: makeMath(() => {
        if (state === 'withheld') throw powers.denial('random', 'Math.random');
        if (state === 'revoked') throw makeRevocation(powers.plugin, 'random', 'Math.random');
        return powers.random();
      }),
    },
    revoke: () => {
      if (state === 'held') state = 'revoked';
    },
    restore: () => {
      state = 'held';
      return undefined;
    },
  };
}

function makeMath(draw: () => number): object {
  const members = Object.getOwnPropertyDescriptors(Math);
  const math: object = Object.create(Object.prototype, {
    ...members,
    random: { ...members.random, value: { random: () => draw() }.random },
  });
  return math;
}
