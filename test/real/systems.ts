import type { RealSystem } from './scenario.js';
import type { System } from './sources.js';
import { pandora } from './pandora/system.js';
import { spindle } from './spindle/system.js';
import { vellum } from './vellum/system.js';

/** Add a plugin system here: one line. */
// oxlint-disable-next-line typescript/no-explicit-any -- each system has its own kind of step
export const SYSTEMS: Readonly<Partial<Record<System, RealSystem<any>>>> = {
  pandora,
  spindle,
  vellum,
};
