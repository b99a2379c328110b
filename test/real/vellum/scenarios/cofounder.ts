import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: { time: true, random: true, storage: true, fs: ['config.json'] },
  steps: [
    { loaded: true },
    {
      hook: 'user-prompt-submit',
      context: {
        conversationId: 'c1',
        prompt: 'Hello there.',
        originalMessages: [],
        latestMessages: [{ role: 'user', content: [{ type: 'text', text: 'Hello there.' }] }],
      },
    },
    {
      hook: 'post-model-call',
      context: {
        conversationId: 'c1',
        callSite: 'mainAgent',
        content: [{ type: 'text', text: 'We decided to go with the annual plan.' }],
      },
    },
    {
      hook: 'post-model-call',
      context: {
        conversationId: 'c1',
        callSite: 'mainAgent',
        content: [{ type: 'text', text: 'Good morning.' }],
      },
    },
    {
      hook: 'post-model-call',
      context: {
        conversationId: 'c1',
        callSite: 'title',
        content: [{ type: 'text', text: 'We decided to go.' }],
      },
    },
  ],
};
