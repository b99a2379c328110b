import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

const member = {
  memberId: 'member-1',
  itemId: 'item-1',
  packId: 'pack-1',
  packName: 'Pack',
  name: 'Reed',
  role: 'analyst',
  chance: 100,
  avatarUrl: null,
  definition: 'A calm voice.',
  personality: 'calm',
  behavior: 'kind',
  genderIdentity: 3,
};

export const scenario: SpindleScenario = usual(
  [
    'get_whiteboard',
    'save_whiteboard',
    'reset_whiteboard',
    'commit_update',
    'reject_update',
    'get_config',
    'save_config',
    'get_archive_stats',
    'manual_recall',
    'rerun_updater',
    'rebuild_whiteboard',
    'get_update_history',
    'list_connections',
    'get_whiteboard_tokens',
    'open_whiteboard',
    'recall_scene',
    'archive_stats',
  ],
  {
    steps: [
      { macro: 'novelist_whiteboard' },
      { macro: 'novelist_chronicle' },
      { macro: 'novelist_threads' },
      { tool: 'recall_scene', args: { query: 'the lantern' } },
      { tool: 'recall_by_range', args: { start_index: 0, end_index: 2 } },
      { tool: 'recall_by_range', args: { start_index: 9, end_index: 2 } },
      { tool: 'random_number', args: { min: 4, max: 4 } },
      { tool: 'update_whiteboard', args: { chronicle: { add: [] } }, councilMember: member },
      { command: 'open_whiteboard', context: { chatId: 'chat-1' } },
      { command: 'recall_scene', context: { chatId: 'chat-1' } },
      { command: 'no_such_command' },
    ],
  },
);
