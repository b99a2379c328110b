import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'token',
  'reasoning',
  'done',
  'diff',
  'refine-error',
  'deleted',
  'pipeline',
  'proposal',
  'aggregator',
  'preset-import-result',
  'pov-preset-error',
]);
