import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: { time: true, random: true, storage: true, powers: ['getModelProfiles'] },
  profiles: [
    { key: 'balanced', label: 'Balanced', model: 'sonnet-1', isActive: true },
    { key: 'cost-optimized', label: 'Speed', model: 'haiku-1' },
  ],
  // Vellum gives this hook no messages, so the plugin selects nothing.
  steps: [
    { loaded: true },
    { hook: 'pre-model-call', context: { modelProfile: null } },
    { hook: 'pre-model-call', context: { modelProfile: 'balanced' } },
    { hook: 'pre-model-call', context: { modelProfile: null, callSite: 'title' } },
  ],
};
