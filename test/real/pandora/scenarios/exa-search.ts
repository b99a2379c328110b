import type { PandoraScenario } from '../step.js';

export const scenario: PandoraScenario = {
  grant: {},
  env: { EXA_API_KEY: 'exa-key-1' },
  hosts: {
    'api.exa.ai': [
      {
        body: {
          results: [
            { title: 'Tower', url: 'https://a.test/', text: 'Nine floors.' },
            { title: 'Sea', url: 'https://b.test/' },
          ],
        },
      },
    ],
  },
  steps: [
    { tool: 'exa_search', input: { query: 'tower' } },
    { tool: 'exa_search', input: { query: 'tower ünïcode 🗼', num_results: 2 } },
  ],
};
