import type { Endowed, Endowment } from './endowment.js';

// Taken when the guest boots: later they are gone from its own global object.
const globals = { Float32Array, Float64Array };

/**
 * `Float32Array` and `Float64Array`, which SES withholds: compartments of one realm could signal to
 * each other by the bits of a NaN. A guest of one plugin has nobody there to signal to; in a guest
 * that several share they stay withheld.
 */
export const floats: Endowment = {
  globals: Object.keys(globals),
  make: ({ shared }): Endowed => ({
    globals: shared === true ? {} : globals,
    revoke: () => undefined,
  }),
};
