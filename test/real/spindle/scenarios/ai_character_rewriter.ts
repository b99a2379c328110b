import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

/** It uses members that Lumiverse does not have. */
const absent = 'the error for a member that does not exist is in our own words';

export const scenario: SpindleScenario = usual(
  ['get_status', 'save_prompts', 'generate', 'generate_cancel'],
  {
    known: { 5: absent, 22: absent, 24: absent },
    steps: [
      { message: { type: 'save_prompts', prompts: { base: 'Be brief.' } } },
      { message: { type: 'get_status' } },
      { message: { type: 'generate', category: 'personality', originalText: 'calm' } },
    ],
  },
);
