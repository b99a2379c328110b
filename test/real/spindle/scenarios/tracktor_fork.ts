import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'ready',
  'refresh_state',
  'get_state',
  'save_settings',
  'set_chat_schema',
  'generate_tracker',
  'regenerate_tracker',
  'regenerate_part',
  'edit_snapshot',
  'update_tracker',
  'delete_snapshot',
  'delete_tracker',
  'cancel_job',
  'toggle_injection',
]);
