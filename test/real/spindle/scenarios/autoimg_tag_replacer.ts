import { usual } from '../usual.js';
import type { SpindleScenario } from '../step.js';

export const scenario: SpindleScenario = usual(['autoimg_result'], {
  steps: [
    {
      message: {
        type: 'autoimg_result',
        chatId: 'chat-1',
        messageId: 'm2',
        imageId: 'image-1',
        imageUrl: '/a.png',
        originalTag: 'says Ada.',
        prompt: 'a\n tower',
        genPrompt: 'p',
      },
    },
  ],
});
