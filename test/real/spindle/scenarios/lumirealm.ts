import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'get_cards',
  'description',
  'comment',
  'module',
  'toggle',
  'screen_dims',
  'display_authority',
  'display_writeback',
  'manual_trigger',
  'manual_button_click',
  'cache_module_translation',
  'cache_character_translation',
  'realm_search',
  'realm_info',
  'realm_download',
  'import_card_init',
  'import_card_chunk',
  'import_card_commit',
  'import_card_abort',
  'upload_module_chunk',
  'upload_module_commit',
  'upload_module_abort',
  'delete_card',
  'consent_response',
]);
