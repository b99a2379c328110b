import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: {
    time: true,
    random: true,
    storage: true,
    fs: ['config.json', '@workspace:rw'],
    env: ['VELLUM_WORKSPACE_DIR', 'HOME'],
  },
  env: { VELLUM_WORKSPACE_DIR: '@workspace', HOME: '@workspace/home' },
  files: {
    'conversations/2026-01-02-a/meta.json': JSON.stringify({
      title: 'Travel plan for Lisbon',
      type: 'standard',
    }),
    'conversations/2026-01-02-a/messages.jsonl':
      '{"role":"user","content":"damn, plan the travel"}\n{"role":"assistant","content":"ok"}\n',
    'conversations/2026-03-04-b/meta.json': JSON.stringify({
      title: 'Travel budget',
      type: 'standard',
    }),
    'conversations/2026-03-04-b/messages.jsonl': 'not json\n',
    'memory/concepts/lisbon.md': '# Lisbon',
  },
  steps: [
    { loaded: true },
    { tool: 'wrapped_stats' },
    { tool: 'wrapped_stats', input: { source: 'vellum', top_n: 1 } },
    { tool: 'wrapped_stats', input: { source: 'claude' } },
    { tool: 'wrapped_stats', input: { source: 'vellum', write_path: '@workspace/out/stats.json' } },
  ],
};
