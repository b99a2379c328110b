import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'token',
  'done',
  'save_settings',
  'load_settings',
  'set_auto_reply',
  'sync_active_chat',
  'user_message',
  'trigger_generation',
  'retry_last_user_message',
  'clear_chat_history',
  'save_widget_state',
]);
