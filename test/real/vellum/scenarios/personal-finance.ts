import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: { time: true, random: true, storage: true },
  steps: [
    { loaded: true },
    { tool: 'manage_currency', input: { action: 'list' } },
    {
      tool: 'log_expense_manual',
      input: { amount: 12.5, description: 'Lunch', due_date: '2026-01-02', category: 'Food' },
    },
    { tool: 'list_expenses' },
    { tool: 'log_income', input: { reason: 'Pay', expected_amount: 1000, date: '2026-01-31' } },
    { tool: 'list_incomes' },
    { tool: 'get_financial_summary' },
    { tool: 'plan_allocation', input: { amount: 100 } },
  ],
};
