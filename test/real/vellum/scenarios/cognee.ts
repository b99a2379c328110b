import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: {
    time: true,
    random: true,
    storage: true,
    network: ['cognee.example.test'],
    env: ['COGNEE_API_KEY', 'HOME', 'COGNEE_STATE_DIR', 'COGNEE_SESSION_KEY'],
    powers: ['credentials'],
  },
  env: { COGNEE_API_KEY: 'key-1' },
  config: { base_url: 'https://cognee.example.test', mode: 'cloud', dataset: 'main' },
  hosts: {
    'cognee.example.test': [
      {
        path: '/api/v1/recall',
        body: [
          { _source: 'graph', content: 'The tower has nine floors.' },
          { question: 'Who?', answer: 'Ada.' },
        ],
      },
      { path: '/', body: { ok: true } },
    ],
  },
  steps: [
    { loaded: true },
    { tool: 'cognee_recall', input: { query: 'tower' } },
    { tool: 'cognee_recall', input: { query: 'tower', scope: 'graph', top_k: 2 } },
    {
      hook: 'user-prompt-submit',
      context: {
        conversationId: 'c1',
        prompt: 'Who lives there?',
        originalMessages: [],
        latestMessages: [{ role: 'user', content: [{ type: 'text', text: 'Who lives there?' }] }],
      },
    },
    {
      hook: 'post-tool-use',
      context: {
        model: null,
        callSite: null,
        supportsDynamicUi: false,
        additionalContext: null,
        messages: [
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 't1', name: 'echo', input: { a: 1 } }],
          },
        ],
      },
    },
    {
      hook: 'stop',
      context: {
        exitReason: 'no_tool_calls',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Who?' }] }],
      },
    },
  ],
};
