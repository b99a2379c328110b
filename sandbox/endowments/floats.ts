import type { Endowed, Endowment } from './endowment.js';

// Taken when the guest boots: later they are gone from its own global object.
const globals = { Float32Array, Float64Array };

/**
 * `Float32Array` and `Float64Array`, which SES withholds: compartments of one realm could signal to
 * each other by the bits of a NaN. A guest holds one plugin, which has nobody there to signal to.
 */
export const floats: Endowment = {
  globals: Object.keys(globals),
  make: (): Endowed => ({ globals, revoke: () => undefined }),
};
