import { aiTools } from 'bulkhead/ai';
import type { Call, Driver, RunSpec, Turn } from './contract.js';

/** The part of the AI SDK that is the same in versions 6 and 7. */
export interface AiSdk {
  generateText(options: object): Promise<AiResult>;
  streamText(options: object): { readonly fullStream: AsyncIterable<StreamPart> };
  isStop(count: number): unknown;
  /** A model from functions that answer a request. */
  model(generate: (request: ModelRequest) => object): object;
  /** The options that make calls pause. */
  approval(tools: ReturnType<typeof aiTools>): object;
}

interface AiResult {
  readonly content: readonly { readonly type: string }[];
  readonly response: { readonly messages: readonly object[] };
}

type StreamPart = { readonly type: string; readonly [key: string]: unknown };

export interface ModelRequest {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string; readonly inputSchema?: unknown }[];
}

interface State {
  readonly messages: object[];
  readonly id: string;
}

/** Drives the AI SDK with its own mock model. */
export function aiDriver(sdk: AiSdk): Driver {
  let count = 0;

  const continueFrom = async (spec: RunSpec, state: State, call?: Call): Promise<Turn> => {
    const own = aiTools(spec.engine, spec.options);
    const requests: ModelRequest[] = [];
    const model = sdk.model((request) => {
      requests.push(request);
      const answered = request.prompt.at(-1)?.role === 'tool';
      return answered || call === undefined
        ? { text: 'done' }
        : { callId: state.id, name: call.tool, input: call.input };
    });
    const options = {
      model,
      tools: own.tools,
      messages: state.messages,
      stopWhen: sdk.isStop(3),
      maxRetries: 0,
      ...sdk.approval(own),
      ...(spec.signal === undefined ? {} : { abortSignal: spec.signal }),
    };
    const outputs: string[] = [];
    if (call?.tool === 'build') {
      for await (const part of sdk.streamText(options).fullStream) {
        if (part.type === 'tool-result' && part['preliminary'] === true) {
          outputs.push(JSON.stringify(part['output']));
        }
      }
      return { ...received(requests), outputs, paused: false, state: '' };
    }
    const result = await sdk.generateText(options);
    const paused = result.content.some(({ type }) => type === 'tool-approval-request');
    const messages = [...state.messages, ...result.response.messages];
    return {
      ...received(requests, result.response.messages),
      paused,
      state: JSON.stringify({ messages, id: state.id }),
    };
  };

  return {
    approval: 'pause',
    streams: true,
    list: async ({ engine, options }) => {
      let tools: ModelRequest['tools'] = [];
      const model = sdk.model((request) => {
        tools = request.tools;
        return { text: 'done' };
      });
      await sdk.generateText({ model, tools: aiTools(engine, options).tools, prompt: 'hi' });
      const send = tools?.find(({ name }) => name === 'send');
      return { names: tools?.map(({ name }) => name) ?? [], schema: send?.inputSchema };
    },
    run: (spec, call) => {
      count += 1;
      const messages = [{ role: 'user', content: 'do it' }];
      return continueFrom(spec, { messages, id: `call-${count}` }, call);
    },
    resume: (spec, text, approved) => {
      const state: State = JSON.parse(text);
      const asked = state.messages
        .flatMap((message) => ('content' in message ? message.content : []))
        .flatMap((content) => content as readonly Record<string, string>[])
        .find(({ type }) => type === 'tool-approval-request');
      const response = {
        type: 'tool-approval-response',
        approvalId: asked?.['approvalId'],
        approved,
      };
      const messages = [...state.messages, { role: 'tool', content: [response] }];
      return continueFrom(spec, { ...state, messages });
    },
    approvals: async ({ engine, options }, text) => {
      const { id }: State = JSON.parse(text);
      return [aiTools(engine, options), id];
    },
  };
}

/** The result of the tool in the last request to the model. */
function received(
  requests: readonly ModelRequest[],
  added: readonly object[] = [],
): Pick<Turn, 'text' | 'images' | 'isError'> {
  const last = [...(requests.at(-1)?.prompt ?? []), ...added];
  const parts = last
    .filter((message) => 'role' in message && message.role === 'tool')
    .flatMap((message) => ('content' in message ? (message.content as unknown[]) : []))
    .map((part) => (part as { readonly output?: Output }).output)
    .filter((output) => output !== undefined);
  const output = parts.at(-1);
  if (output === undefined) return { text: '', images: [] };
  const { type, value, reason } = output;
  if (type === 'content' && Array.isArray(value)) {
    const items: readonly Item[] = value;
    return {
      text: items.map(({ text = '' }) => text).join('\n'),
      images: items.flatMap(({ data }) =>
        data === undefined ? [] : [typeof data === 'string' ? data : (data.data ?? '')],
      ),
      isError: false,
    };
  }
  const text = typeof value === 'string' ? value : (reason ?? '');
  return { text, images: [], isError: type !== 'text' };
}

interface Output {
  readonly type: string;
  readonly value?: unknown;
  readonly reason?: string;
}

interface Item {
  readonly text?: string;
  readonly data?: string | { readonly data?: string };
}
