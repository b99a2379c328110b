import type { RealSystem } from '../scenario.js';
import { runOracle } from './oracle.js';
import { runOurs } from './ours.js';
import type { SpindleStep } from './step.js';

export const spindle: RealSystem<SpindleStep> = {
  ours: runOurs,
  oracle: runOracle,
  needs: ['bun'],
};
