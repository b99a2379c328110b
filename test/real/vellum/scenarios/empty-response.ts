import type { JsonObject } from '../../../../sandbox/wire/messages.js';
import type { VellumScenario } from '../step.js';

const asked = { role: 'user', content: [{ type: 'text', text: 'Look.' }] };
const used = [
  asked,
  { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'bash', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
];
const reply = (more: JsonObject): JsonObject =>
  JSON.parse(
    JSON.stringify({
      content: [],
      stopReason: 'end_turn',
      messages: used,
      callSite: 'mainAgent',
      decision: 'stop',
      ...more,
    }),
  );

/** The sentence that Vellum appends to a notice is in our own words. */
const notice = 'the notice ends in our own words';

/** It is written for the version of Vellum that ships it, though its range names 0.8. */
export const scenario: VellumScenario = {
  semantics: 'current',
  grant: { time: true, random: true, storage: true },
  steps: [
    { loaded: true },
    { hook: 'post-model-call', context: reply({ content: [{ type: 'text', text: 'Done.' }] }) },
    { hook: 'post-model-call', context: reply({ callSite: 'compaction' }) },
    { hook: 'post-model-call', context: reply({}) },
    { hook: 'post-model-call', context: reply({}) },
    { hook: 'stop', context: { exitReason: 'no_tool_calls' } },
    { hook: 'post-model-call', context: reply({}) },
    { hook: 'post-model-call', context: reply({ stopReason: 'refusal' }) },
    {
      hook: 'user-prompt-submit',
      context: {
        latestMessages: [
          { role: 'user', content: [{ type: 'text', text: 'Hello there.' }] },
          { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
          { role: 'user', content: [{ type: 'text', text: 'And you?' }] },
        ],
      },
    },
  ],
  known: { 4: notice, 7: notice },
};
