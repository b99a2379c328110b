import type { RealSystem } from '../scenario.js';
import { missingBun } from '../bun.js';
import { missingLumiverse } from './lumiverse-checkout.js';
import { runOracle } from './oracle.js';
import { runOurs } from './ours.js';
import type { SpindleStep } from './step.js';

export const spindle: RealSystem<SpindleStep> = {
  ours: runOurs,
  oracle: runOracle,
  missing: async () => missingBun() ?? missingLumiverse(),
};
