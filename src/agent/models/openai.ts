import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import {
  type Block,
  isToolUse,
  type Message,
  readBlocks,
  textBlock,
  textOfBlocks,
} from '../message.js';
import type { Model, ModelReply, ModelRequest } from '../model.js';
import {
  brokenCall,
  cutReply,
  type Endpoint,
  errorMessage,
  failed,
  makeEndpointModel,
  parseCall,
  type ParsedBlock,
  parseData,
  replyWith,
  usageOf,
} from './endpoint.js';

/**
 * A model behind an endpoint that speaks OpenAI's Chat Completions, as most local servers do. Throws
 * `INVALID_OPTIONS` for a URL that contains a name or password.
 */
export function openAiModel(endpoint: Endpoint): Model {
  return makeEndpointModel(endpoint, {
    path: 'chat/completions',
    headers: (apiKey) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    body: bodyOf,
    read: readReply,
  });
}

function bodyOf(
  { model, maxTokens }: Endpoint,
  { system, messages, tools, profile }: ModelRequest,
): object {
  const first = system === undefined ? [] : [{ role: 'system', content: system }];
  return {
    model: profile ?? model,
    stream: true,
    stream_options: { include_usage: true },
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    messages: [...first, ...messages.flatMap(chatMessages)],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: 'function',
            function: { name, description, parameters: inputSchema, strict: false },
          })),
        }),
  };
}

/** In this protocol, each tool result is a message of its own. */
function chatMessages({ role, content }: Message): object[] {
  if (role === 'assistant') return [assistantMessage(content)];
  const results = content.filter(({ type }) => type === 'tool_result');
  const rest = content.filter(({ type }) => type !== 'tool_result');
  // A tool's message contains only text, so a result's images follow as the user's.
  const images = results.flatMap(({ contentBlocks }) => readBlocks(contentBlocks));
  const parts = [...rest, ...images].flatMap(partOf);
  return [
    ...results.map((result) => ({
      role: 'tool',
      tool_call_id: result['tool_use_id'],
      content: result['content'] ?? '',
    })),
    ...(parts.length === 0 ? [] : [{ role: 'user', content: textIfOnlyText(parts) }]),
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
  if (type !== 'image' || !isRecord(source)) return [];
  const { data, media_type: mediaType, url } = source;
  if (typeof url === 'string') return [{ type: 'image_url', image_url: { url } }];
  if (typeof mediaType !== 'string' || typeof data !== 'string') return [];
  const address = `data:${mediaType};base64,${data}`;
  return [{ type: 'image_url', image_url: { url: address } }];
}

/** Only text is sent as a string: some endpoints do not support parts. */
function textIfOnlyText(parts: readonly Part[]): string | readonly Part[] {
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n') : parts;
}

interface PartialReply {
  text: string;
  readonly calls: PartialCall[];
  finish: string | undefined;
  /** Whether the end of the reply arrived. */
  ended: boolean;
  usage: NonNullable<ModelReply['usage']>;
}

interface PartialCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  /** The pieces of the input's JSON. */
  json: string;
  /** The input, if the endpoint sends an object and no JSON. */
  input: JsonObject | undefined;
}

async function readReply(
  events: AsyncIterable<string>,
  onText: (text: string) => void,
): Promise<ModelReply> {
  const reply: PartialReply = {
    text: '',
    calls: [],
    finish: undefined,
    ended: false,
    usage: {},
  };
  for await (const data of events) {
    if (data.trim() === '[DONE]') {
      reply.ended = true;
      break;
    }
    applyChunk(parseData(data), reply, onText);
  }
  // guard: cut-openai-reply-fails
  if (!reply.ended) throw cutReply();
  const { text, calls, finish, usage } = reply;
  return {
    ...replyWith(
      text === '' ? [] : [textBlock(text)],
      calls.map((call, at) => callOf(call, at, finish !== undefined)),
    ),
    stopReason: finish === undefined ? null : (STOP_REASONS[finish] ?? finish),
    usage,
  };
}

function callOf(
  { id, name, json, input }: PartialCall,
  at: number,
  finished: boolean,
): ParsedBlock {
  const known = id === '' ? `call_${at}` : id;
  if (input === undefined) {
    // A gateway may close the stream of a provider that failed after the name of the call.
    // guard: call-without-arguments-finished
    if (json.trim() === '' && !finished) return brokenCall(known, name, 'its reply was cut');
    return parseCall(known, name, json);
  }
  return json === ''
    ? { block: { type: 'tool_use', id: known, name, input } }
    : brokenCall(known, name, 'its input is both an object and a text');
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

/** Applies a chunk of a stream (`delta`), or a whole answer (`message`). */
function applyChunk(chunk: JsonObject, reply: PartialReply, onText: (text: string) => void): void {
  const { error, choices, usage } = chunk;
  if (error !== undefined && error !== null) throw failed(errorMessage(chunk));
  if (isRecord(usage)) reply.usage = usageOf(usage, 'prompt_tokens', 'completion_tokens');
  const choice: Json | undefined = Array.isArray(choices) ? choices[0] : undefined;
  if (!isRecord(choice)) return;
  if (typeof choice['finish_reason'] === 'string') {
    reply.finish = choice['finish_reason'];
    reply.ended = true;
  }
  // A whole answer ends with its JSON.
  if (isRecord(choice['message'])) reply.ended = true;
  const delta = choice['delta'] ?? choice['message'];
  if (!isRecord(delta)) return;
  const { content, tool_calls: calls } = delta;
  if (typeof content === 'string' && content !== '') {
    reply.text += content;
    onText(content);
  }
  if (Array.isArray(calls)) for (const call of calls) applyCall(call, reply);
}

function applyCall(call: Json, { calls }: PartialReply): void {
  if (!isRecord(call)) return;
  const { id, function: called } = call;
  const name = isRecord(called) && typeof called['name'] === 'string' ? called['name'] : '';
  const known = partialCallOf(call, name, calls);
  if (typeof id === 'string' && known.id === '') known.id = id;
  // Some endpoints repeat the name in each piece.
  if (name !== '' && known.name !== name) known.name += name;
  if (!isRecord(called)) return;
  const { arguments: input } = called;
  if (typeof input === 'string') known.json += input;
  else if (isRecord(input)) known.input = input;
}

/**
 * The call that a piece belongs to. The id distinguishes calls: some endpoints give all calls the
 * same index, or none. A piece without an id continues the last call of its index.
 */
function partialCallOf(call: JsonObject, name: string, calls: PartialCall[]): PartialCall {
  const { id } = call;
  const index = typeof call['index'] === 'number' ? call['index'] : undefined;
  const sameIndex = calls.findLast((one) => one.index === index);
  let known = sameIndex;
  if (typeof id === 'string' && id !== '') {
    // guard: parallel-calls-by-id
    known =
      calls.findLast((one) => one.id === id) ?? (sameIndex?.id === '' ? sameIndex : undefined);
  } else if (index === undefined) {
    // Without an id and an index, a name begins a new call.
    known = name === '' ? calls.at(-1) : undefined;
  }
  if (known !== undefined) return known;
  const added: PartialCall = { index, id: '', name: '', json: '', input: undefined };
  calls.push(added);
  return added;
}
