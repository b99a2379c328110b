import type { VellumScenario } from '../step.js';

const response = (content: string): { readonly [key: string]: string } => ({
  type: 'tool_result',
  tool_use_id: 't1',
  content,
});

/** It is written for the version of Vellum that ships it, though its range names 0.8. */
export const scenario: VellumScenario = {
  semantics: 'current',
  grant: { time: true, random: true, storage: true },
  steps: [
    { loaded: true },
    {
      hook: 'post-tool-use',
      context: { supportsDynamicUi: false, toolResponse: response('x'.repeat(900)) },
    },
    {
      hook: 'post-tool-use',
      context: {
        supportsDynamicUi: false,
        toolResponse: response('a line of text\n'.repeat(900)),
        maxInputTokens: 4_000,
      },
    },
    {
      hook: 'post-tool-use',
      context: {
        supportsDynamicUi: false,
        toolResponse: response('🗼'.repeat(3_000)),
        maxInputTokens: 100,
      },
    },
  ],
};
