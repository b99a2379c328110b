import type { RealSystem } from '../scenario.js';
import { missingBun } from '../bun.js';
import { runOracle } from './oracle.js';
import { runOurs } from './ours.js';
import type { VellumStep } from './step.js';

export const vellum: RealSystem<VellumStep> = {
  ours: runOurs,
  oracle: runOracle,
  missing: missingBun,
};
