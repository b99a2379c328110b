import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'get_latest',
  'get_history',
  'get_by_id',
  'clear_history',
  'get_settings',
  'save_settings',
]);
