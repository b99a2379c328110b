import type { PandoraScenario } from '../step.js';

export const scenario: PandoraScenario = {
  grant: {},
  env: { BRAVE_API_KEY: 'brave-key-1' },
  hosts: {
    'api.search.brave.com': [
      { path: '/res/v1/web/search?q=down', status: 503, body: 'down' },
      { path: '/res/v1/web/search?q=nothing', body: {} },
      {
        body: {
          web: {
            results: [
              {
                title: 'Tower',
                url: 'https://a.test/',
                description: 'A <b>tower</b>',
                age: '1 day',
              },
            ],
          },
        },
      },
    ],
  },
  steps: [
    { tool: 'brave_search', input: { query: 'old tower & sea' } },
    { tool: 'brave_search', input: { query: 'tower', count: 3, freshness: 'pw' } },
    { tool: 'brave_search', input: { query: 'nothing' } },
    { tool: 'brave_search', input: { query: 'down' } },
  ],
};
