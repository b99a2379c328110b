import type { VellumScenario } from '../step.js';

export const scenario: VellumScenario = {
  grant: { time: true, random: true, storage: true },
  steps: [
    { loaded: true },
    {
      hook: 'user-prompt-submit',
      context: {
        conversationId: 'c1',
        prompt: 'Hello there.',
        originalMessages: [],
        latestMessages: [{ role: 'user', content: [{ type: 'text', text: 'Hello there.' }] }],
        isNonInteractive: false,
      },
    },
    {
      hook: 'user-prompt-submit',
      context: {
        conversationId: 'c1',
        prompt: 'Hello there.',
        originalMessages: [],
        latestMessages: [{ role: 'user', content: [{ type: 'text', text: 'Hello there.' }] }],
        isNonInteractive: true,
      },
    },
    { tool: 'get_brief' },
    { tool: 'set_channel' },
    { tool: 'set_channel', input: { channel: 'slack' } },
    {
      tool: 'log_item',
      input: {
        type: 'quote',
        subject: 'Kitchen quote for Henderson',
        counterparty: 'Henderson',
        date: '2026-11-20T10:00:00Z',
        dueDate: '2026-11-22T10:00:00Z',
        priority: 'urgent',
        source: 'email',
      },
    },
    {
      tool: 'log_item',
      input: {
        type: 'lead',
        subject: 'Bathroom',
        counterparty: 'Ito',
        date: '2026-11-21T10:00:00Z',
        notes: 'asked twice',
      },
    },
    { tool: 'list_items' },
    {
      tool: 'list_items',
      input: { type: 'lead', status: 'new', fromDate: '2026-11-21T00:00:00Z' },
    },
    { tool: 'update_item', input: { search: 'henderson', status: 'in_progress', notes: 'called' } },
    { tool: 'update_item', input: { search: 'nobody', status: 'done' } },
    { tool: 'update_item', input: { status: 'done' } },
    { tool: 'get_brief', input: { updateLastScan: false } },
    {
      hook: 'user-prompt-submit',
      context: {
        conversationId: 'c1',
        prompt: 'Hello there.',
        originalMessages: [],
        latestMessages: [{ role: 'user', content: [{ type: 'text', text: 'Hello there.' }] }],
        isNonInteractive: false,
      },
    },
  ],
};
