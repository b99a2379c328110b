import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual(
  ['tag_parsed', 'remove_character', 'request_state', 'cleanup_old_tags', 'deleted'],
  {
    steps: [
      { macro: 'scene_state' },
      { macro: 'SCENE_STATE' },
      { macro: 'no_such_macro', args: ['1'] },
    ],
  },
);
