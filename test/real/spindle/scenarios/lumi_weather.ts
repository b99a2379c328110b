import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual(
  [
    'frontend_ready',
    'chat_changed',
    'weather_tag_intercepted',
    'set_manual_state',
    'clear_manual_override',
    'save_prefs',
    'reset_widget_position',
  ],
  {
    steps: [
      { macro: 'weather_format' },
      { macro: 'weather_tracker' },
      { macro: 'weather_state' },
      { macro: 'weather_state', args: ['x'] },
    ],
  },
);
