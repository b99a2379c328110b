import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

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
  'activate_random',
  'update_schedules',
  'save_preset',
  'load_preset',
  'delete_preset',
  'rename_preset',
]);
