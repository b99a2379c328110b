import type { JsonObject } from '../../../../sandbox/wire/messages.js';
import type { VellumScenario } from '../step.js';

const use = (id: string, name: string, input: object): object => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name, input }],
});
const result = (id: string, content: string): object => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content }],
});
const card = { surface_type: 'card', data: { template: 'task_progress', templateData: {} } };
const shown = [
  { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
  use('t1', 'ui_show', card),
  result('t1', '{"surfaceId":"s1"}'),
];
const ending = (messages: readonly object[], more: JsonObject = {}): JsonObject =>
  JSON.parse(
    JSON.stringify({
      content: [{ type: 'text', text: 'Done.' }],
      stopReason: 'end_turn',
      messages,
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
    {
      hook: 'post-model-call',
      context: ending([
        ...shown,
        use('t2', 'ui_update', { surface_id: 's1', data: { status: 'Completed' } }),
        result('t2', 'ok'),
      ]),
    },
    { hook: 'post-model-call', context: ending(shown, { callSite: 'subagentSpawn' }) },
    { hook: 'post-model-call', context: ending(shown) },
    { hook: 'post-model-call', context: ending(shown) },
    { hook: 'stop', context: { exitReason: 'no_tool_calls' } },
    { hook: 'post-model-call', context: ending(shown) },
    { hook: 'post-model-call', context: ending(shown.slice(0, 1), { conversationId: 'c2' }) },
  ],
  known: { 4: notice, 7: notice },
};
