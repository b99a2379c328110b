import type { PandoraScenario } from '../step.js';

export const scenario: PandoraScenario = {
  grant: {},
  env: { PERPLEXITY_API_KEY: 'perplexity-key-1' },
  hosts: {
    'api.perplexity.ai': [
      {
        body: {
          choices: [{ message: { content: 'It has nine floors.' } }],
          citations: ['https://a.test/', 'https://b.test/'],
        },
      },
    ],
  },
  steps: [
    { tool: 'perplexity_search', input: { query: 'How high is the tower?' } },
    { tool: 'perplexity_search', input: { query: '' } },
  ],
};
