import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: {
    time: true,
    random: true,
    storage: true,
    fs: ['@workspace'],
    powers: [
      'getConfiguredProvider',
      'getConfiguredProvider.sendMessage',
      'getModelProfiles',
      'doesSupportVision',
    ],
  },
  profiles: [
    { key: 'balanced', name: 'balanced', model: 'model-1', isActive: true, isDisabled: false },
  ],
  generated: JSON.stringify({
    is_plant: true,
    species: { common_name: 'Boston fern', scientific_name: 'Nephrolepis', confidence: 'high' },
    health: 'minor_issues',
    issues: [
      { name: 'Brown tips', severity: 'low', evidence: 'Tips are brown.', likely_cause: 'dry air' },
    ],
    care_plan: {
      immediate: ['Mist it'],
      ongoing: ['Water weekly'],
      environment: { light: 'bright', water: 'weekly', humidity: '60%', soil: 'peat' },
    },
    prognosis: 'Good.',
    summary: 'A fern, a bit dry.',
  }),
  files: { 'photos/fern.png': 'PNG bytes', 'photos/fern.txt': 'no image' },
  steps: [
    { loaded: true },
    { tool: 'plant_history' },
    {
      tool: 'plant_diagnose',
      input: {
        photo_path: '@workspace/photos/fern.png',
        plant_name: 'Fernando',
        location: 'hall',
        context: 'dry',
      },
    },
    { tool: 'plant_diagnose', input: { photo_path: '@workspace/photos/fern.png' } },
    { tool: 'plant_diagnose', input: { photo_path: '@workspace/photos/absent.png' } },
    { tool: 'plant_diagnose', input: { photo_path: '@workspace/photos/fern.txt' } },
    { tool: 'plant_history' },
    { tool: 'plant_history', input: { plant_name: 'fernando', limit: 1 } },
    { tool: 'plant_history', input: { plant_name: 'Bob' } },
  ],
};
