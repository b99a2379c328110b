import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { type Block, isObject, textBlock } from '../message.js';
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
import { usageOf } from './anthropic.js';
import { readEvents } from './events.js';
import { chatMessages } from './openai-messages.js';

/**
 * A model behind an endpoint that speaks OpenAI's Chat Completions, as most local servers do. Throws
 * `INVALID_OPTIONS` for an address with a name or password in it.
 */
export function openAiModel(endpoint: Endpoint): Model {
  checkEndpoint(endpoint);
  return {
    respond: async (request, stream) => {
      const response = await post(
        endpoint,
        'chat/completions',
        {
          ...(endpoint.apiKey === undefined ? {} : { authorization: `Bearer ${endpoint.apiKey}` }),
          ...endpoint.headers,
        },
        bodyOf(endpoint, request),
        stream.signal,
      );
      return readReply(response, stream);
    },
  };
}

function bodyOf({ model, maxTokens }: Endpoint, request: ModelRequest): object {
  const { system, messages, tools, profile } = request;
  return {
    model: profile ?? model,
    stream: true,
    stream_options: { include_usage: true },
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    messages: chatMessages(system, messages),
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

interface Gathering {
  text: string;
  readonly calls: Map<number, { id: string; name: string; input: string }>;
  finish: string | undefined;
  usage: ModelReply['usage'];
}

async function readReply(response: Response, { onText }: ModelStream): Promise<ModelReply> {
  const gathering: Gathering = { text: '', calls: new Map(), finish: undefined, usage: {} };
  for await (const data of readEvents(response)) {
    if (data.trim() === '[DONE]') break;
    takeChunk(parseData(data), gathering, onText);
  }
  const { text, calls, finish, usage } = gathering;
  const uses = [...calls]
    .toSorted(([a], [b]) => a - b)
    .map(([at, { id, name, input }]): Block => ({
      type: 'tool_use',
      id: id === '' ? `call_${at}` : id,
      name,
      input: parseInput(input),
    }));
  return {
    content: [...(text === '' ? [] : [textBlock(text)]), ...uses],
    stopReason: finish === undefined ? null : (STOP_REASONS[finish] ?? finish),
    ...(usage === undefined ? {} : { usage }),
  };
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

/** A piece of a stream, or a whole answer: they differ in one word. */
function takeChunk(chunk: JsonObject, gathering: Gathering, onText: (text: string) => void): void {
  const { error, choices, usage } = chunk;
  if (error !== undefined && error !== null) throw failed(explain(chunk));
  if (isObject(usage)) {
    const { prompt_tokens: input, completion_tokens: output } = usage;
    gathering.usage = usageOf(
      typeof input === 'number' ? input : undefined,
      typeof output === 'number' ? output : undefined,
    );
  }
  const choice: Json | undefined = Array.isArray(choices) ? choices[0] : undefined;
  if (!isObject(choice)) return;
  if (typeof choice['finish_reason'] === 'string') gathering.finish = choice['finish_reason'];
  const delta = choice['delta'] ?? choice['message'];
  if (!isObject(delta)) return;
  const { content, tool_calls: calls } = delta;
  if (typeof content === 'string' && content !== '') {
    gathering.text += content;
    onText(content);
  }
  if (Array.isArray(calls)) calls.forEach((call, at) => takeCall(call, at, gathering));
}

function takeCall(call: Json, at: number, { calls }: Gathering): void {
  if (!isObject(call)) return;
  const index = typeof call['index'] === 'number' ? call['index'] : at;
  const found = calls.get(index) ?? { id: '', name: '', input: '' };
  calls.set(index, found);
  const { id, function: called } = call;
  if (typeof id === 'string') found.id = id;
  if (!isObject(called)) return;
  if (typeof called['name'] === 'string') found.name += called['name'];
  if (typeof called['arguments'] === 'string') found.input += called['arguments'];
}
