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
      { macro: 'story_weather' },
      { macro: 'weather_state' },
      {
        message: {
          type: 'weather_tag_intercepted',
          chatId: 'chat-1',
          messageId: 'm2',
          content:
            '<weather-state location="Tower" date="1 May" time="9:00 PM" condition="storm" temperature="9C" wind="strong" layer="both" palette="night"/>',
          attrs: { condition: 'storm', time: '9:00 PM', date: '1 May' },
        },
      },
    ],
  },
);
