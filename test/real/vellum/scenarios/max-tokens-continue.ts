import type { JsonObject } from '../../../../sandbox/wire/messages.js';
import type { VellumScenario } from '../step.js';

const cut = (more: JsonObject = {}): JsonObject => ({
  content: [{ type: 'text', text: 'The tower has' }],
  stopReason: 'max_tokens',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Tell me.' }] }],
  callSite: 'mainAgent',
  decision: 'stop',
  ...more,
});
const run = (context: JsonObject): { readonly hook: string; readonly context: JsonObject } => ({
  hook: 'post-model-call',
  context,
});

/** The sentence that Vellum appends to a notice is in our own words. */
const notice = 'the notice ends in our own words';

/** It is written for the version of Vellum that ships it, though its range names 0.8. */
export const scenario: VellumScenario = {
  semantics: 'current',
  grant: { time: true, random: true, storage: true },
  steps: [
    { loaded: true },
    run(cut({ stopReason: 'end_turn' })),
    run(cut({ callSite: 'subagentSpawn' })),
    run(cut({ content: [] })),
    run(cut()),
    run(cut({ content: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }] })),
    run(cut({ stopReason: 'length' })),
    run(cut()),
    run(cut()),
    { hook: 'stop', context: { exitReason: 'no_tool_calls' } },
    run(cut()),
  ],
  known: { 5: notice, 6: notice, 7: notice, 11: notice },
};
