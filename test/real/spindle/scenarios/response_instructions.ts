import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual(['ri:load', 'ri:update', 'ri:generate'], {
  steps: [
    {
      message: {
        type: 'ri:update',
        instruction: 'Be brief.',
        enabled: true,
        presets: { a: 'A' },
        saved_drafts: ['d'],
      },
    },
    { message: { type: 'ri:load' } },
    { message: { type: 'ri:generate', direction: ' warm ' } },
    {
      intercept: [
        { role: 'system', content: 'You are Ada.' },
        { role: 'user', content: 'Hi.' },
      ],
    },
  ],
});
