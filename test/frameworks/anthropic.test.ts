import Anthropic from '@anthropic-ai/sdk';
import { anthropicTools } from 'bulkhead/anthropic';
import { type Call, describeAdapter, type Driver, type RunSpec, type Turn } from './contract.js';

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools: readonly { readonly name: string; readonly input_schema: unknown }[];
}

interface State extends Call {
  readonly id: string;
}

let count = 0;

/** The real client, over a transport that answers as the API does. */
function clientOf(call: State | undefined, bodies: Body[]): Anthropic {
  return new Anthropic({
    apiKey: 'k',
    maxRetries: 0,
    fetch: async (_url, init) => {
      const body: Body = JSON.parse(init?.body as string);
      bodies.push(body);
      const answered = JSON.stringify(body.messages.at(-1)).includes('tool_result');
      const content =
        answered || call === undefined
          ? [{ type: 'text', text: 'done' }]
          : [{ type: 'tool_use', id: call.id, name: call.tool, input: call.input }];
      return Response.json({
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content,
        stop_reason: content[0]?.type === 'text' ? 'end_turn' : 'tool_use',
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      });
    },
  });
}

async function turnOf({ engine, options, signal }: RunSpec, call: State): Promise<Turn> {
  const { tools } = anthropicTools(engine, options);
  const bodies: Body[] = [];
  await clientOf(call, bodies).beta.messages.toolRunner(
    {
      model: 'm',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'do it' }],
      tools,
    },
    signal === undefined ? {} : { signal },
  );
  const content = bodies.at(-1)?.messages.at(-1)?.content;
  const [result] = (Array.isArray(content) ? content : []) as {
    content?: string | { text?: string; source?: { data: string } }[];
    is_error?: boolean;
  }[];
  const blocks =
    typeof result?.content === 'string' ? [{ text: result.content }] : (result?.content ?? []);
  return {
    paused: false,
    text: blocks.map(({ text = '' }) => text).join('\n'),
    images: blocks.flatMap((block) => ('source' in block ? (block.source?.data ?? []) : [])),
    isError: result?.is_error === true,
    state: JSON.stringify(call),
  };
}

const driver: Driver = {
  approval: 'hold',
  streams: false,
  list: async ({ engine, options }) => {
    const { tools } = anthropicTools(engine, options);
    const bodies: Body[] = [];
    await clientOf(undefined, bodies).beta.messages.toolRunner({
      model: 'm',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'hi' }],
      tools,
    });
    const sent = bodies[0]?.tools ?? [];
    return {
      names: sent.map(({ name }) => name),
      schema: sent.find(({ name }) => name === 'send')?.input_schema,
    };
  },
  run: (spec, call) => {
    count += 1;
    return turnOf(spec, { ...call, id: `toolu_${count}` });
  },
  resume: (spec, text) => {
    const state: State = { id: `toolu_${count}`, ...JSON.parse(text) };
    return turnOf(spec, state);
  },
  approvals: async ({ engine, options }, text) => {
    const { id = `toolu_${count}` }: Partial<State> = JSON.parse(text);
    return [anthropicTools(engine, options), id];
  },
};

describeAdapter('the tool runner of Anthropic’s SDK', driver);
