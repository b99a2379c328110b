import { cloneContents, cloneWhole, type Cloning } from './clone-kinds.js';
import type { Endowed, Endowment } from './endowment.js';
import { domExceptionClass } from './events/dom-exception.js';
import { demandArguments } from './web-idl.js';

/**
 * `structuredClone`, in JavaScript alone: the platform's would answer with objects and errors of
 * its own. What a `transfer` option lists is copied like the rest, and not detached.
 */
export const clone: Endowment = {
  globals: ['structuredClone'],
  make: (powers): Endowed => {
    const DOMException = domExceptionClass(powers);
    return {
      globals: {
        structuredClone: (...args: unknown[]): unknown => {
          demandArguments(args.length, 1, 'structuredClone');
          return cloneAll(args[0], (what) => {
            throw new DOMException(`${what} cannot be cloned`, 'DataCloneError');
          });
        },
      },
      revoke: () => undefined,
    };
  },
};

function cloneAll(root: unknown, refuse: Cloning['refuse']): unknown {
  // From what has been met to its copy, so that shared and circular references stay so.
  const known = new Map<object, object>();
  const cloning: Cloning = {
    refuse,
    copy: (value) => {
      if (typeof value === 'symbol') return refuse('A symbol');
      if (typeof value === 'function') return refuse('A function');
      if (typeof value !== 'object' || value === null) return value;
      const earlier = known.get(value);
      if (earlier !== undefined) return earlier;
      const whole = cloneWhole(value, cloning);
      if (whole !== undefined) {
        known.set(value, whole);
        return whole;
      }
      const { made, fill } = cloneContents(value, cloning);
      known.set(value, made);
      fill();
      return made;
    },
  };
  return cloning.copy(root);
}
