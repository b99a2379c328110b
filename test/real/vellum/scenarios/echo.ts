import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: { time: true, random: true, storage: true },
  steps: [
    { loaded: true },
    {
      hook: 'user-prompt-submit',
      context: {
        conversationId: 'c1',
        prompt: 'Hi',
        originalMessages: [],
        latestMessages: [{ role: 'user', content: [{ type: 'text', text: 'Hello there.' }] }],
      },
    },
    {
      hook: 'post-tool-use',
      context: {
        conversationId: 'c1',
        toolResponse: { type: 'tool_result', tool_use_id: 't1', content: 'ok' },
        messages: [],
      },
    },
    {
      hook: 'stop',
      context: {
        conversationId: 'c1',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello there.' }] }],
        responseContent: [],
        stopReason: 'end_turn',
        decision: 'stop',
      },
    },
  ],
};
