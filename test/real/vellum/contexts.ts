/** What Vellum's loop puts into each hook's context. Both runs use it, so it imports nothing. */
const CONTEXTS: Readonly<Record<string, object>> = {
  'user-prompt-submit': {
    conversationId: 'c1',
    userMessageId: 'u1',
    requestId: 'r1',
    modelProfileKey: 'balanced',
    isNonInteractive: false,
    prompt: 'Hello there.',
    originalMessages: [],
    latestMessages: [],
  },
  'pre-model-call': {
    conversationId: 'c1',
    callSite: 'mainAgent',
    systemPrompt: 'Be kind.',
    deferAssistantOutput: false,
  },
  'post-model-call': {
    conversationId: 'c1',
    callSite: 'mainAgent',
    content: [],
    stopReason: 'end_turn',
  },
  'post-tool-use': {
    conversationId: 'c1',
    toolResponse: { type: 'tool_result', tool_use_id: 't1', content: 'ok' },
    messages: [],
    maxInputTokens: 100_000,
  },
  stop: {
    conversationId: 'c1',
    messages: [],
  },
};

/** The context of one run of a hook. */
export function contextOf(hook: string, given: object = {}): object {
  return { ...CONTEXTS[hook], ...given };
}
