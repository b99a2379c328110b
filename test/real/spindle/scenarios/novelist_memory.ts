import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
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
]);
