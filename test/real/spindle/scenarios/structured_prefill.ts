import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'get_settings',
  'update_settings',
  'get_connections',
  'get_state',
  'clear_blocklist',
  'remove_from_blocklist',
  'reasoning',
]);
