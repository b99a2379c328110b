import {
  type Block,
  isToolUse,
  type Message,
  readBlocks,
  isObject,
  textOfBlocks,
} from '../message.js';

/** A conversation as OpenAI's Chat Completions write it: a result is a message of its own there. */
export function chatMessages(system: string | undefined, messages: readonly Message[]): object[] {
  const first = system === undefined ? [] : [{ role: 'system', content: system }];
  return [...first, ...messages.flatMap(chatMessage)];
}

function chatMessage({ role, content }: Message): object[] {
  if (role === 'assistant') return [assistantMessage(content)];
  const results = content.filter(({ type }) => type === 'tool_result');
  const rest = content.filter(({ type }) => type !== 'tool_result');
  // The pictures of a result follow it as the user's: a tool's message has text alone.
  const pictures = results.flatMap(({ contentBlocks }) => readBlocks(contentBlocks));
  const said = [...rest, ...pictures].flatMap(partOf);
  return [
    ...results.map((result) => ({
      role: 'tool',
      tool_call_id: result['tool_use_id'],
      content: result['content'] ?? '',
    })),
    ...(said.length === 0 ? [] : [{ role: 'user', content: plain(said) }]),
  ];
}

function assistantMessage(content: readonly Block[]): object {
  const text = textOfBlocks(content);
  const calls = content.filter(isToolUse).map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

type Part = { readonly type: 'text'; readonly text: string } | object;

function partOf(block: Block): Part[] {
  const { type, text, source } = block;
  if (type === 'text' && typeof text === 'string') return [{ type, text }];
  if (type !== 'image' || !isObject(source)) return [];
  const { data, media_type: mediaType, url } = source;
  if (typeof url === 'string') return [{ type: 'image_url', image_url: { url } }];
  if (typeof mediaType !== 'string' || typeof data !== 'string') return [];
  const address = `data:${mediaType};base64,${data}`;
  return [{ type: 'image_url', image_url: { url: address } }];
}

/** Text alone is sent as text: not every endpoint knows parts. */
function plain(parts: readonly Part[]): string | readonly Part[] {
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n') : parts;
}
