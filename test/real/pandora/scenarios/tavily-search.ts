import type { PandoraScenario } from '../step.js';

export const scenario: PandoraScenario = {
  grant: {},
  env: { TAVILY_API_KEY: 'tavily-key-1' },
  hosts: {
    'api.tavily.com': [
      { body: { results: [{ title: 'Tower', url: 'https://a.test/', content: 'Nine.' }] } },
    ],
  },
  steps: [
    { tool: 'tavily_search', input: { query: 'tower' } },
    { tool: 'tavily_search', input: { query: 'sea', max_results: 1, search_depth: 'advanced' } },
  ],
};
