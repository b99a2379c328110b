import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import { type Block, isBlock, readBlocks } from '../message.js';
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

const VERSION = '2023-06-01';
const DEFAULT_MAX_TOKENS = 8_192;

/**
 * A model behind an endpoint that speaks Anthropic's Messages protocol. Throws `INVALID_OPTIONS` for a
 * URL that contains a name or password.
 */
export function anthropicModel(endpoint: Endpoint): Model {
  return makeEndpointModel(endpoint, {
    path: 'v1/messages',
    headers: (apiKey) => ({
      'anthropic-version': VERSION,
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    }),
    body: bodyOf,
    read: readReply,
  });
}

function bodyOf(
  { model, maxTokens = DEFAULT_MAX_TOKENS }: Endpoint,
  { system, messages, tools, profile }: ModelRequest,
): object {
  return {
    model: profile ?? model,
    max_tokens: maxTokens,
    stream: true,
    ...(system === undefined ? {} : { system }),
    messages: messages.map(({ role, content }) => ({ role, content: content.map(blockOf) })),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            name,
            description,
            input_schema: inputSchema,
          })),
        }),
  };
}

/** In this protocol, the images of a result are part of its content. */
function blockOf(block: Block): object {
  if (block.type !== 'tool_result') return block;
  const { contentBlocks, content, ...rest } = block;
  if (!Array.isArray(contentBlocks)) return block;
  return { ...rest, content: [{ type: 'text', text: content }, ...contentBlocks] };
}

interface PartialReply {
  readonly blocks: Map<number, PartialBlock>;
  stopReason: string | null;
  /** Whether the end of the reply arrived. */
  ended: boolean;
  usage: NonNullable<ModelReply['usage']>;
}

interface PartialBlock {
  block: JsonObject;
  /** The pieces of a tool call's input. */
  json: string;
  /** Whether the end of the block arrived. */
  ended: boolean;
}

async function readReply(
  events: AsyncIterable<string>,
  onText: (text: string) => void,
): Promise<ModelReply> {
  const reply: PartialReply = { blocks: new Map(), stopReason: null, ended: false, usage: {} };
  for await (const data of events) {
    const event = parseData(data);
    // An endpoint that does not stream answers with the message itself.
    if (event['type'] === 'message') return wholeReply(event, onText);
    applyEvent(event, reply, onText);
  }
  // guard: cut-anthropic-reply-fails
  if (!reply.ended) throw cutReply();
  const { blocks, stopReason, usage } = reply;
  const sorted = [...blocks].toSorted(([a], [b]) => a - b).map(([, block]) => block);
  const parsed = sorted.flatMap((one): ParsedBlock[] => {
    if (one.block['type'] === 'tool_use') return [callOf(one)];
    return isBlock(one.block) ? [{ block: one.block }] : [];
  });
  return { ...replyWith([], parsed), stopReason, usage };
}

/** The input comes in pieces, or at once with the start of the block. */
function callOf({ block, json, ended }: PartialBlock): ParsedBlock {
  const { input } = block;
  const id = typeof block['id'] === 'string' ? block['id'] : '';
  const name = typeof block['name'] === 'string' ? block['name'] : '';
  if (json !== '') return parseCall(id, name, json);
  // guard: call-block-ended
  if (!ended) return brokenCall(id, name, 'its reply was cut');
  return isRecord(input)
    ? { block: { type: 'tool_use', id, name, input } }
    : brokenCall(id, name, 'its input is not a JSON object');
}

function applyEvent(event: JsonObject, reply: PartialReply, onText: (text: string) => void): void {
  const { type, delta, message, content_block: block } = event;
  const index = Number(event['index'] ?? 0);
  if (type === 'error') throw failed(errorMessage(event));
  if (type === 'message_start' && isRecord(message)) {
    const { inputTokens } = usageOf(message['usage'], 'input_tokens', 'output_tokens');
    reply.usage = inputTokens === undefined ? {} : { inputTokens };
  } else if (type === 'content_block_start' && isRecord(block)) {
    reply.blocks.set(index, { block, json: '', ended: false });
  } else if (type === 'content_block_delta' && isRecord(delta)) {
    applyDelta(delta, reply.blocks.get(index), onText);
  } else if (type === 'content_block_stop') {
    const into = reply.blocks.get(index);
    if (into !== undefined) into.ended = true;
  } else if (type === 'message_stop') {
    reply.ended = true;
  } else if (type === 'message_delta') {
    if (isRecord(delta) && typeof delta['stop_reason'] === 'string') {
      reply.stopReason = delta['stop_reason'];
    }
    const { outputTokens } = usageOf(event['usage'], 'input_tokens', 'output_tokens');
    if (outputTokens !== undefined) reply.usage = { ...reply.usage, outputTokens };
  }
}

function applyDelta(
  delta: JsonObject,
  into: PartialBlock | undefined,
  onText: (text: string) => void,
): void {
  if (into === undefined) return;
  for (const field of ['text', 'thinking', 'signature'] as const) {
    const more = delta[field];
    if (typeof more !== 'string') continue;
    const before = into.block[field];
    into.block = { ...into.block, [field]: typeof before === 'string' ? before + more : more };
    if (field === 'text') onText(more);
  }
  const { partial_json: json } = delta;
  if (typeof json === 'string') into.json += json;
}

function wholeReply(message: JsonObject, onText: (text: string) => void): ModelReply {
  const { content, stop_reason: stopReason, usage } = message;
  const blocks = readBlocks(content);
  for (const { type, text } of blocks)
    if (type === 'text' && typeof text === 'string') onText(text);
  const parsed = blocks.map((block): ParsedBlock =>
    block.type === 'tool_use' ? callOf({ block, json: '', ended: true }) : { block },
  );
  return {
    ...replyWith([], parsed),
    stopReason: typeof stopReason === 'string' ? stopReason : null,
    usage: usageOf(usage, 'input_tokens', 'output_tokens'),
  };
}
