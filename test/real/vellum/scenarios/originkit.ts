import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: {
    time: true,
    random: true,
    storage: true,
    fs: ['src'],
    network: ['originkit.dev', 'www.originkit.dev', 'mcp.originkit.dev'],
  },
  steps: [
    { tool: 'originkit_browse' },
    { tool: 'originkit_browse', input: { query: 'blur', category: 'text' } },
    { tool: 'originkit_browse', input: { query: 'no such thing' } },
    { tool: 'originkit_setup', input: { action: 'status' } },
    { tool: 'originkit_setup', input: { action: 'set' } },
    { tool: 'originkit_setup', input: { action: 'reset' } },
    { tool: 'originkit_get', input: { name: 'blackhole' } },
  ],
};
