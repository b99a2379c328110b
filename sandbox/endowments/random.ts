import { makeRevocation } from './denial.js';
import type { Endowed, Endowment, EndowmentCapabilities } from './endowment.js';

/**
 * `Math.random`. The rest of `Math` is always present; if withheld, only `random` throws. It is not
 * suitable for secrets: see `crypto`.
 */
export const random: Endowment = {
  permission: 'random',
  globals: ['Math'],
  make: (capabilities): Endowed => endowMath(capabilities, 'held'),
  withheld: (capabilities): Endowed => endowMath(capabilities, 'withheld'),
};

function endowMath(capabilities: EndowmentCapabilities, from: 'held' | 'withheld'): Endowed {
  let state: 'held' | 'withheld' | 'revoked' = from;
  let isReported = false;
  const fixed = makeFixedSequence();
  return {
    globals: {
      Math: makeMath(() => {
        // guard: random-needs-permission
        if (state === 'withheld') throw capabilities.denial('random', 'Math.random');
        if (state === 'revoked') throw makeRevocation(capabilities.plugin, 'random', 'Math.random');
        return capabilities.random();
      }),
    },
    forDependencies: {
      Math: makeMath(() => {
        // guard: dependency-random-fixed
        if (state === 'held') return capabilities.random();
        if (!isReported) capabilities.denial('random', 'Math.random, in a dependency');
        isReported = true;
        return fixed();
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

/**
 * Numbers that are the same in every guest. They differ from each other, because code may draw until
 * it finds an unused one.
 */
function makeFixedSequence(): () => number {
  let state = 1;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
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
