import { makeRevocation } from './denial.js';
import { lazyRecord } from './lazy-record.js';
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
  withheldInPackage: (capabilities) => {
    const forDependencies = lazyRecord({
      Math: () => makeMath(makeLenientDraw(capabilities, () => false)),
    });
    return { globals: forDependencies, forDependencies };
  },
};

/** Draws while the permission is held. Otherwise returns fixed numbers, and reports one denial. */
function makeLenientDraw(capabilities: EndowmentCapabilities, isHeld: () => boolean): () => number {
  let isReported = false;
  const fixed = makeFixedSequence();
  return () => {
    // guard: dependency-random-fixed
    if (isHeld()) return capabilities.random();
    if (!isReported) capabilities.denial('random', 'Math.random, in a dependency');
    isReported = true;
    return fixed();
  };
}

function endowMath(capabilities: EndowmentCapabilities, from: 'held' | 'withheld'): Endowed {
  let state: 'held' | 'withheld' | 'revoked' = from;
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
      Math: makeMath(makeLenientDraw(capabilities, () => state === 'held')),
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

let members: ReturnType<typeof Object.getOwnPropertyDescriptors<Math>> | undefined;

function makeMath(draw: () => number): object {
  members ??= Object.getOwnPropertyDescriptors(Math);
  const math: object = Object.create(Object.prototype, {
    ...members,
    random: { ...members.random, value: { random: () => draw() }.random },
  });
  return math;
}
