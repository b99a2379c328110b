import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'summarize_v2',
  'save_summary',
  'discard_summary',
  'list_connections',
  'list_lorebooks',
]);
