import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'text',
  'get_dashboard',
  'save_settings',
  'reset_chat_state',
  'create_player',
  'convert_active_persona',
  'cancel_history_import',
  'import_existing_history',
  'get_progression_options',
  'claim_milestone',
  'apply_prose_suggestion',
  'dismiss_prose_review',
]);
