import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual([
  'tag_parsed',
  'remove_character',
  'request_state',
  'cleanup_old_tags',
  'deleted',
]);
