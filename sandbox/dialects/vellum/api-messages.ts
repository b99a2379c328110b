/** Replaces a reply that the model's provider refused, and marks the refused exchange. */
export const REFUSAL_FALLBACK_TEXT =
  "Sorry — I wasn't able to generate a response to that. Please try rephrasing or asking in a different way.";

/** The functions of `@vellumai/plugin-api` that parse messages which the plugin already has. */
export const messagesApi: Readonly<Record<string, unknown>> = {
  isToolResultMessage,
  lastToolResultUserMessageIndex,
  quarantineRefusedExchanges,
  stringifyMessageContent,
  extractTextFromStoredMessageContent,
  // Vellum reads these three from its store, so they are asynchronous.
  buildMessageExcerpt: async (content: unknown, query: unknown) =>
    buildMessageExcerpt(content, query),
  hasLexicalTokens: async (text: unknown) => hasLexicalTokens(text),
  parseMessageMetadata: async (text: unknown) => parseMessageMetadata(text),
};

const RESULTS: readonly unknown[] = ['tool_result', 'web_search_tool_result'];

/** Whether a user's message contains only tool results. */
function isToolResultMessage(message: unknown): boolean {
  const blocks = blocksOf(read(message, 'content'));
  if (read(message, 'role') !== 'user' || blocks.length === 0) return false;
  return blocks.every((block) => RESULTS.includes(read(block, 'type')));
}

/** The index of the last message that contains tool results, or -1. */
function lastToolResultUserMessageIndex(messages: unknown): number {
  if (!Array.isArray(messages)) return -1;
  return messages.findLastIndex(
    (message: unknown) =>
      read(message, 'role') === 'user' &&
      blocksOf(read(message, 'content')).some((block) => read(block, 'type') === 'tool_result'),
  );
}

/** Removes every refused exchange: the marked reply, back to the user's question. */
function quarantineRefusedExchanges(messages: unknown): object {
  const all: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const dropped = new Set<number>();
  let droppedExchanges = 0;
  for (const [index, message] of all.entries()) {
    if (!isRefused(message)) continue;
    droppedExchanges += 1;
    dropped.add(index);
    for (let at = index - 1; at >= 0; at -= 1) {
      dropped.add(at);
      if (read(all[at], 'role') === 'user' && !isToolResultMessage(all[at])) break;
    }
  }
  if (droppedExchanges === 0) return { messages, droppedExchanges };
  return { messages: all.filter((_, index) => !dropped.has(index)), droppedExchanges };
}

function isRefused(message: unknown): boolean {
  const [only, ...more] = blocksOf(read(message, 'content'));
  const text = read(only, 'text');
  return (
    read(message, 'role') === 'assistant' &&
    more.length === 0 &&
    read(only, 'type') === 'text' &&
    typeof text === 'string' &&
    text.trim() === REFUSAL_FALLBACK_TEXT
  );
}

/** The text blocks of a content, parsed or as stored. */
function stringifyMessageContent(content: unknown): string {
  return textsOf(content).join('\n').trim();
}

/** All blocks of a content, as text. What is not text becomes a label. */
function extractTextFromStoredMessageContent(content: unknown): string {
  const value = stored(content);
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return typeof content === 'string' ? content : '';
  return blocksOf(value)
    .map((block) => LABELS.get(wordOf(block, 'type'))?.(block) ?? '<unknown_content_block />')
    .join('\n')
    .trim();
}

const LABELS: ReadonlyMap<string, (block: unknown) => string> = new Map(
  Object.entries({
    text: (block: unknown) => wordOf(block, 'text'),
    thinking: (block: unknown) => wordOf(block, 'thinking'),
    redacted_thinking: () => '<redacted_thinking />',
    tool_use: (block: unknown) =>
      `Tool use (${wordOf(block, 'name')}): ${jsonOf(read(block, 'input'))}`,
    tool_result: (block: unknown) => {
      const mark = read(block, 'is_error') === true ? ' <error />' : '';
      return `Tool result${mark}: ${wordOf(block, 'content')}`;
    },
    image: (block: unknown) => `<image type="${attribute(read(block, 'source'), 'media_type')}" />`,
    file: (block: unknown) => {
      const source = read(block, 'source');
      const text = wordOf(block, 'extracted_text');
      if (text !== '') return `File (${wordOf(source, 'filename')}): ${text}`;
      const name = attribute(source, 'filename');
      return `<file name="${name}" type="${attribute(source, 'media_type')}" />`;
    },
    server_tool_use: (block: unknown) => {
      const query = read(read(block, 'input'), 'query');
      return `[web search: ${typeof query === 'string' ? query : wordOf(block, 'name')}]`;
    },
    web_search_tool_result: () => '[web search results]',
  }),
);

function wordOf(value: unknown, key: string): string {
  const word = read(value, key);
  return typeof word === 'string' ? word : '';
}

function attribute(value: unknown, key: string): string {
  return wordOf(value, key)
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

function jsonOf(value: unknown): string {
  try {
    return String(JSON.stringify(value));
  } catch {
    return '<unserializable />';
  }
}

function buildMessageExcerpt(content: unknown, query: unknown): string {
  const text = stringifyMessageContent(content).replace(/\s+/g, ' ').trim();
  const at = typeof query === 'string' ? text.toLowerCase().indexOf(query.toLowerCase()) : -1;
  const start = Math.max(0, at - 80);
  const cut = text.slice(start, start + 200);
  return `${start > 0 ? '…' : ''}${cut}${start + cut.length < text.length ? '…' : ''}`;
}

function hasLexicalTokens(text: unknown): boolean {
  return typeof text === 'string' && /[a-z0-9_]{2}/i.test(text);
}

function parseMessageMetadata(text: unknown): unknown {
  const value = stored(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}

function textsOf(content: unknown): string[] {
  const value = stored(content);
  if (typeof value === 'string') return [value];
  return blocksOf(value).flatMap((block) => {
    const text = read(block, 'type') === 'text' ? read(block, 'text') : undefined;
    return typeof text === 'string' ? [text] : [];
  });
}

/** Parses a stored content. Text that is not JSON is returned unchanged. */
function stored(content: unknown): unknown {
  if (typeof content !== 'string') return content;
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === 'object' ? value : content;
  } catch {
    return content;
  }
}

function blocksOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [];
}

function read(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
