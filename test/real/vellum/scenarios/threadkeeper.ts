import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: { time: true, random: true, storage: true },
  steps: [
    { loaded: true },
    { tool: 'threadkeeper', input: { action: 'status' } },
    { tool: 'threadkeeper', input: { action: 'search', query: 'tower' } },
    { tool: 'threadkeeper', input: { action: 'list_open_loops' } },
    { tool: 'threadkeeper', input: { action: 'list_reviews' } },
    { tool: 'threadkeeper', input: { action: 'rebuild_index' } },
  ],
};
