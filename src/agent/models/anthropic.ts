import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { type Block, isBlock, isObject, type Message, readBlocks } from '../message.js';
import type { Model, ModelReply, ModelRequest, ModelStream } from '../model.js';
import {
  checkEndpoint,
  type Endpoint,
  explain,
  failed,
  parseData,
  parseInput,
  post,
} from './endpoint.js';
import { readEvents } from './events.js';

const VERSION = '2023-06-01';
const DEFAULT_MAX_TOKENS = 8_192;

/**
 * A model behind an endpoint that speaks Anthropic's Messages protocol. Throws `INVALID_OPTIONS` for an
 * address with a name or password in it.
 */
export function anthropicModel(endpoint: Endpoint): Model {
  checkEndpoint(endpoint);
  return {
    respond: async (request, stream) => {
      const response = await post(
        endpoint,
        'v1/messages',
        {
          'anthropic-version': VERSION,
          ...(endpoint.apiKey === undefined ? {} : { 'x-api-key': endpoint.apiKey }),
          ...endpoint.headers,
        },
        bodyOf(endpoint, request),
        stream.signal,
      );
      return readReply(response, stream);
    },
  };
}

function bodyOf(
  { model, maxTokens = DEFAULT_MAX_TOKENS }: Endpoint,
  request: ModelRequest,
): object {
  const { system, messages, tools, profile } = request;
  return {
    model: profile ?? model,
    max_tokens: maxTokens,
    stream: true,
    ...(system === undefined ? {} : { system }),
    messages: messages.map(messageOf),
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

function messageOf({ role, content }: Message): object {
  return { role, content: content.map(blockOf) };
}

/** A result's pictures are part of its content there. */
function blockOf(block: Block): object {
  if (block.type !== 'tool_result') return block;
  const { contentBlocks, content, ...rest } = block;
  if (!Array.isArray(contentBlocks)) return block;
  return { ...rest, content: [{ type: 'text', text: content }, ...contentBlocks] };
}

interface Gathering {
  readonly blocks: Map<number, { block: JsonObject; json: string }>;
  stopReason: string | null;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}

async function readReply(response: Response, { onText }: ModelStream): Promise<ModelReply> {
  const gathering: Gathering = {
    blocks: new Map(),
    stopReason: null,
    inputTokens: undefined,
    outputTokens: undefined,
  };
  for await (const data of readEvents(response)) {
    const event = parseData(data);
    // An endpoint that does not stream answers with the message itself.
    if (event['type'] === 'message') return wholeReply(event, onText);
    takeEvent(event, gathering, onText);
  }
  const { blocks, stopReason, inputTokens, outputTokens } = gathering;
  const content = [...blocks]
    .toSorted(([a], [b]) => a - b)
    .map(([, { block, json }]): Json =>
      block['type'] === 'tool_use' ? { ...block, input: parseInput(json) } : block,
    )
    .filter(isBlock);
  return { content, stopReason, usage: usageOf(inputTokens, outputTokens) };
}

function takeEvent(event: JsonObject, gathering: Gathering, onText: (text: string) => void): void {
  const { type, delta } = event;
  const index = Number(event['index'] ?? 0);
  if (type === 'error') throw failed(explain(event));
  if (type === 'message_start' && isObject(event['message'])) {
    gathering.inputTokens = countOf(event['message']['usage'], 'input_tokens');
  } else if (type === 'content_block_start' && isObject(event['content_block'])) {
    gathering.blocks.set(index, { block: event['content_block'], json: '' });
  } else if (type === 'content_block_delta' && isObject(delta)) {
    takeDelta(delta, gathering.blocks.get(index), onText);
  } else if (type === 'message_delta') {
    if (isObject(delta) && typeof delta['stop_reason'] === 'string') {
      gathering.stopReason = delta['stop_reason'];
    }
    gathering.outputTokens = countOf(event['usage'], 'output_tokens');
  }
}

function takeDelta(
  delta: JsonObject,
  into: { block: JsonObject; json: string } | undefined,
  onText: (text: string) => void,
): void {
  if (into === undefined) return;
  for (const field of ['text', 'thinking', 'signature'] as const) {
    const more = delta[field];
    if (typeof more !== 'string') continue;
    into.block = { ...into.block, [field]: `${textOf(into.block[field])}${more}` };
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
  return {
    content: blocks,
    stopReason: typeof stopReason === 'string' ? stopReason : null,
    usage: usageOf(countOf(usage, 'input_tokens'), countOf(usage, 'output_tokens')),
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function countOf(usage: Json | undefined, field: string): number | undefined {
  const count = isObject(usage) ? usage[field] : undefined;
  return typeof count === 'number' ? count : undefined;
}

export function usageOf(
  inputTokens: number | undefined,
  outputTokens: number | undefined,
): NonNullable<ModelReply['usage']> {
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}
