import type { RealSystem } from '../scenario.js';
import { missingBun } from '../bun.js';
import { runOracle } from './oracle.js';
import { runOurs } from './ours.js';
import type { PandoraStep } from './step.js';

export const pandora: RealSystem<PandoraStep> = {
  ours: runOurs,
  oracle: runOracle,
  missing: missingBun,
};
