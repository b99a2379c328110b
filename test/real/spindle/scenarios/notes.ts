import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'request_data',
  'save_page',
  'rename_page',
  'new_page',
  'delete_page',
  'set_active_page',
]);
