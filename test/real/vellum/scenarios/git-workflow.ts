import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: { time: true, random: true, storage: true },
  steps: [
    { loaded: true },
    ...['git_commit', 'git_log'].map((name) => ({
      hook: 'post-tool-use',
      context: {
        conversationId: 'c1',
        toolResponse: { type: 'tool_result', tool_use_id: 't1', content: 'ok' },
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name, input: {} }] },
        ],
        maxInputTokens: 1000,
      },
    })),
    {
      hook: 'post-tool-use',
      context: {
        conversationId: 'c1',
        toolResponse: { type: 'tool_result', tool_use_id: 't1', content: 'no', is_error: true },
        messages: [],
        maxInputTokens: 1000,
      },
    },
  ],
};
