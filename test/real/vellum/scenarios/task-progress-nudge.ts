import type { JsonObject } from '../../../../sandbox/wire/messages.js';
import type { VellumScenario } from '../step.js';

function after(tools: readonly string[], more: JsonObject = {}): JsonObject {
  const rounds = tools.flatMap((name, at) => [
    {
      role: 'assistant',
      content: [
        {
          type: 'tool_use',
          id: `t${at}`,
          name,
          input: name === 'ui_show' ? { data: { template: 'task_progress' } } : { path: 'a' },
        },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `t${at}`, content: 'text' }],
    },
  ]);
  return JSON.parse(
    JSON.stringify({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Do it.' }] }, ...rounds],
      model: 'deepseek-v4',
      callSite: 'mainAgent',
      supportsDynamicUi: true,
      additionalContext: null,
      ...more,
    }),
  );
}
const THREE = ['bash', 'bash', 'file_read'];

/** It is written for the version of Vellum that ships it, though its range names 0.8. */
export const scenario: VellumScenario = {
  semantics: 'current',
  grant: { time: true, random: true, storage: true },
  steps: [
    { loaded: true },
    { hook: 'post-tool-use', context: after(['bash']) },
    { hook: 'post-tool-use', context: after(THREE, { supportsDynamicUi: false }) },
    { hook: 'post-tool-use', context: after(THREE, { model: 'model-1' }) },
    { hook: 'post-tool-use', context: after(THREE) },
    { hook: 'post-tool-use', context: after([...THREE, 'bash']) },
    { hook: 'post-tool-use', context: after(['bash']) },
    { hook: 'post-tool-use', context: after([...THREE, 'ui_show']) },
    {
      hook: 'post-tool-use',
      context: after(THREE, { additionalContext: 'Note.', conversationId: 'c2' }),
    },
  ],
};
