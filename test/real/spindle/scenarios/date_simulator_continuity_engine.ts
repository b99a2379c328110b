import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'reset',
  'case',
  'scene',
  'continuity_get_status',
  'continuity_get_connections',
  'continuity_save_config',
  'continuity_set_widget_visibility',
  'continuity_reprocess',
  'continuity_migrate',
]);
