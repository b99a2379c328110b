import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual(['get_settings', 'get_models', 'save_settings'], {
  steps: [
    { message: { type: 'save_settings', settings: { width: 512, model: 'model-1' } } },
    { message: { type: 'get_settings' } },
    {
      event: 'MESSAGE_EDITED',
      payload: {
        chatId: 'chat-1',
        message: {
          id: 'm2',
          content: 'Look: [img: a tower at night] and [img: the sea]',
          extra: {},
        },
      },
    },
  ],
});
