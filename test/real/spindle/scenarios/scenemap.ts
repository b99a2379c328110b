import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual(
  [
    'object',
    'array',
    'string',
    'number',
    'integer',
    'boolean',
    'get_state',
    'save_preset_settings',
    'save_automatic_settings',
    'set_chat_preset',
    'generate_tracker',
    'maybe_auto_generate',
    'edit_tracker',
    'delete_tracker',
    'open_text_editor',
  ],
  {
    steps: [{ macro: 'scenemap' }, { macro: 'scenemap', args: ['short'] }],
  },
);
