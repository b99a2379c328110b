import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: { time: true, random: true, storage: true },
  steps: [
    { loaded: true },
    { tool: 'get_benefit_status' },
    {
      tool: 'update_benefit_settings',
      input: {
        addCards: [{ card: 'platinum', anniversaryMonth: 5, airline: 'Delta' }, { card: 'gold' }],
      },
    },
    {
      tool: 'update_benefit_settings',
      input: { addCards: [{ card: 'nope' }], mute: ['platinum.lululemon'] },
    },
    { tool: 'get_benefit_status' },
    { tool: 'get_benefit_status', input: { card: 'gold' } },
    {
      tool: 'log_benefit_use',
      input: { card: 'gold', benefit: 'uber_cash', amount: 10, note: 'ride' },
    },
    { tool: 'log_benefit_use', input: { benefit: 'hotel', amount: 300 } },
    { tool: 'log_benefit_use', input: { benefit: 'nothing', amount: 1 } },
    { tool: 'get_benefit_status', input: { card: 'platinum', benefit: 'hotel' } },
    {
      tool: 'update_benefit_settings',
      input: { removeCards: ['gold'], unmute: ['platinum.lululemon'] },
    },
    { tool: 'get_benefit_status' },
  ],
};
