import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: { time: true, random: true, storage: true, powers: ['getAssistantName'] },
  steps: [
    { loaded: true },
    { tool: 'shared_memory_inspect', input: { query: 'tower' } },
    { tool: 'shared_memory_inspect', input: { paths: ['concepts/../x.md'] } },
    { tool: 'shared_memory_inspect', input: { paths: ['concepts/tower.md'] } },
    {
      tool: 'shared_memory_publish',
      input: {
        expectedHead: 'a'.repeat(40),
        expectedPolicyFingerprint: 'b'.repeat(64),
        commitMessage: 'Add it',
        upserts: [{ path: 'elsewhere/tower.md', content: '# Tower' }],
      },
    },
  ],
};
