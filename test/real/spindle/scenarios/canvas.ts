import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual(
  [
    'LOAD_LAYOUT',
    'LOAD_SETTINGS',
    'SAVE_LAYOUT',
    'SAVE_SETTINGS',
    'SET_DEBUG',
    'SET_PERSIST_DEBUG',
  ],
  {
    steps: [
      { message: { type: 'SAVE_LAYOUT', layout: { version: 2, tabs: ['a'] }, saveId: 1 } },
      {
        message: {
          type: 'SAVE_SETTINGS',
          settings: { version: 2, settings: { dark: true } },
          saveId: 2,
        },
      },
      { message: { type: 'LOAD_LAYOUT' } },
      { message: { type: 'LOAD_SETTINGS' } },
    ],
  },
);
