import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual(
  [
    'request_snapshot',
    'retry_branch_migration',
    'reset_branch_state',
    'process_history',
    'process_now',
    'cancel_processing',
    'edit_entry',
    'regenerate_entry',
    'delete_entry',
    'unhide_summaryplus_messages',
    'hide_all_summarized_messages',
    'save_entries',
    'save_settings',
    'edit_prompt_field',
    'save_prompt',
    'new_prompt',
    'duplicate_prompt',
    'delete_prompt',
    'select_prompt',
    'string',
    'token',
    'reasoning',
  ],
  {
    steps: [{ macro: 'summaryPlus' }, { macro: 'summaryplus' }],
  },
);
