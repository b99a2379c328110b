import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

/** Without `activate_random`, whose answer is random. */
export const scenario: SpindleScenario = usual([
  'request_state',
  'toggle_mode',
  'set_enabled',
  'update_settings',
  'add_edit_mode',
  'import_modes',
  'export_modes',
  'export_config',
  'import_config',
  'remove_all_custom',
  'reset_defaults',
  'disable_all',
  'update_schedules',
  'save_preset',
  'load_preset',
  'delete_preset',
  'rename_preset',
]);
