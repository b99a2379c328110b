import type { Endowed, Endowment } from './endowment.js';

// Captured when the guest boots: the perimeter later deletes them from the global object.
const globals = { Float32Array, Float64Array };

/**
 * `Float32Array` and `Float64Array`. SES withholds them, because compartments of one realm could
 * signal to each other by the bits of a NaN. A guest with one plugin has no such peer. In shared
 * guests they stay withheld.
 */
export const floats: Endowment = {
  globals: Object.keys(globals),
  make: ({ shared }): Endowed => ({
    globals: shared === true ? {} : globals,
    revoke: () => undefined,
  }),
};
