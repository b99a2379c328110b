/// <reference path="../../../types/spindle.d.ts" />
// The documents' own examples, as they stand, and what must not compile.
declare function searchMyKnowledgeBase(
  query: string,
  limit: number,
): Promise<{ readonly summary: string }[]>;

spindle.registerTool({
  name: 'search_knowledge_base',
  display_name: 'Search Knowledge Base',
  description: 'Searches the extension knowledge base for relevant information',
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Search query' },
      limit: { type: 'number', description: 'Max results', default: 5 },
    },
    required: ['query'],
  },
  council_eligible: true,
})

// Unregister
spindle.unregisterTool('search_knowledge_base')

spindle.on('TOOL_INVOCATION', async (payload) => {
  const { toolName, args, councilMember, contextMessages } = payload

  if (toolName === 'search_knowledge_base') {
    const results = await searchMyKnowledgeBase(args.query, args.limit)

    // Inspect the structured chat context if you need role boundaries
    const lastAssistant = contextMessages
      ?.filter(m => m.role === 'assistant')
      .pop()

    // When invoked via council, tailor the output to the assigned member's voice
    if (councilMember) {
      return `${councilMember.name} (${councilMember.role || 'analyst'}) reports:\n` +
        results.map(r => r.summary).join('\n')
    }

    return results.map(r => r.summary).join('\n')
  }

  return 'Unknown tool'
})

export async function more(): Promise<void> {
  spindle.permissions.onDenied(({ permission, operation }) => spindle.log.warn(permission + operation));
  await spindle.storage.setJson('a.json', { a: 1 });
  const found: { a: number } = await spindle.storage.getJson('a.json', { fallback: { a: 0 } });
  await spindle.generate.quiet({ messages: [], found });
  spindle.registerInterceptor(async (messages) => messages.filter(({ role }) => role !== 'system'), 50);
  spindle.registerMacro({ name: 'mood', handler: (context) => context.args });
  spindle.updateMacroValue('mood', 'calm');
  spindle.onFrontendMessage((payload, userId) => spindle.sendToFrontend({ seen: payload }, userId));
  const mood: string = await spindle.variables.chat.get('chat', 'mood');
  await spindle.variables.global.set('mood', mood);
  const { status, body } = await spindle.cors('https://api.example.com', { method: 'POST', body: '{}' });
  await spindle.userStorage.setJson('b.json', { status, body }, { userId: 'ada' });
  // @ts-expect-error: a macro has a function
  spindle.registerMacro({ name: 'mood', handler: 'calm' });
  // @ts-expect-error: a body is a text
  await spindle.cors('https://api.example.com', { body: { a: 1 } });
  // @ts-expect-error: a tool needs a name
  spindle.registerTool({ display_name: 'x', description: 'd', parameters: {} });
  // @ts-expect-error: text alone
  spindle.log.info({ a: 1 });
}
