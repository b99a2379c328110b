import type { VellumScenario } from '../step.js';

const failed = { type: 'tool_result', tool_use_id: 't4', content: 'no such file', is_error: true };
const round = (id: string, isError: boolean): readonly object[] => [
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id, name: 'file_read', input: { path: 'a' } }],
  },
  {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content: 'x', is_error: isError }],
  },
];
const asked = {
  role: 'assistant',
  content: [{ type: 'tool_use', id: 't4', name: 'file_read', input: { path: 'a' } }],
};
const context = (...messages: readonly object[]): { readonly [key: string]: never } =>
  JSON.parse(
    JSON.stringify({
      toolResponse: failed,
      messages,
      model: 'model-1',
      callSite: 'mainAgent',
      supportsDynamicUi: true,
      additionalContext: null,
    }),
  );

/** It is written for the version of Vellum that ships it, though its range names 0.8. */
export const scenario: VellumScenario = {
  semantics: 'current',
  grant: { time: true, random: true, storage: true },
  steps: [
    { loaded: true },
    { hook: 'post-tool-use', context: { supportsDynamicUi: false } },
    { hook: 'post-tool-use', context: context() },
    { hook: 'post-tool-use', context: context(...round('t1', true), asked) },
    {
      hook: 'post-tool-use',
      context: context(...round('t1', true), ...round('t2', true), ...round('t3', true), asked),
    },
    {
      hook: 'post-tool-use',
      context: context(...round('t1', true), ...round('t2', false), ...round('t3', true), asked),
    },
  ],
};
