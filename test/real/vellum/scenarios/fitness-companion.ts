import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: { time: true, random: true, storage: true },
  config: {
    userProfile: {
      goal: 'cut',
      daily_calories: 2000,
      daily_protein_g: 150,
      eating_window_start: '10:00',
      eating_window_end: '18:00',
    },
  },
  steps: [
    { loaded: true },
    {
      hook: 'pre-model-call',
      context: { conversationId: 'c1', callSite: 'mainAgent', systemPrompt: 'Be kind.' },
    },
    {
      hook: 'pre-model-call',
      context: { conversationId: 'c1', callSite: 'title', systemPrompt: 'Be kind.' },
    },
    { hook: 'pre-model-call', context: { conversationId: 'c1', callSite: 'mainAgent' } },
  ],
};
