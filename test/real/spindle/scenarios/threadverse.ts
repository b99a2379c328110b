import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'token',
  'reasoning',
  'done',
  'threadverse:load_active_chat',
  'threadverse:load_settings',
  'threadverse:auto_save_settings',
  'threadverse:save_prompt',
  'threadverse:save_fandom_notes',
  'threadverse:request_instruction_preset_name',
  'threadverse:request_instruction_preset_rename',
  'threadverse:open_instruction_editor',
  'threadverse:open_fandom_notes_editor',
  'threadverse:generate_thread',
  'threadverse:regenerate_thread',
  'threadverse:select_feed_version',
  'threadverse:delete_feed_version',
  'threadverse:delete_round',
  'threadverse:cancel_generation',
  'threadverse:copy_result',
  'threadverse:reset_continuity',
]);
