import type { JsonObject } from '../../../../sandbox/wire/messages.js';
import type { VellumScenario } from '../step.js';

/** A turn in which the model has read `count` files, and reads one more. */
function reading(count: number, same: boolean, more: JsonObject = {}): JsonObject {
  const use = (at: number): object => ({
    role: 'assistant',
    content: [
      { type: 'tool_use', id: `t${at}`, name: 'file_read', input: { path: same ? 'a' : `${at}` } },
    ],
  });
  const result = (at: number): object => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: `t${at}`, content: 'text' }],
  });
  const rounds = Array.from({ length: count }, (_, at) => [use(at), result(at)]).flat();
  return JSON.parse(
    JSON.stringify({
      toolResponse: { type: 'tool_result', tool_use_id: `t${count}`, content: 'text' },
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Find it.' }] },
        ...rounds,
        use(count),
      ],
      model: 'model-1',
      callSite: 'mainAgent',
      supportsDynamicUi: true,
      additionalContext: null,
      ...more,
    }),
  );
}

/** It is written for the version of Vellum that ships it, though its range names 0.8. */
export const scenario: VellumScenario = {
  semantics: 'current',
  grant: { time: true, random: true, storage: true },
  steps: [
    { loaded: true },
    { hook: 'post-tool-use', context: reading(3, true) },
    { hook: 'post-tool-use', context: reading(3, true, { model: 'kimi-k2.6' }) },
    { hook: 'post-tool-use', context: reading(4, true, { model: 'minimax-m3' }) },
    { hook: 'post-tool-use', context: reading(30, false, { additionalContext: 'Note.' }) },
    { hook: 'post-tool-use', context: reading(31, false) },
    { hook: 'post-tool-use', context: reading(2, false) },
    { hook: 'post-tool-use', context: reading(26, false, { callSite: 'subagentSpawn' }) },
  ],
};
