import { ReadableStream } from 'node:stream/web';
import { mastraTools } from 'bulkhead/mastra';
import { type Call, describeAdapter, type Driver, type RunSpec, type Turn } from './contract.js';
import { ifSupported } from './supported.js';

interface State {
  readonly call: Call;
  readonly runId: string;
  readonly toolCallId: string;
  readonly store: number;
}

interface Message {
  readonly role: string;
  readonly content: unknown;
}

await ifSupported('@mastra/core', async () => {
  const { Agent } = await import('@mastra/core/agent');
  const { Mastra } = await import('@mastra/core/mastra');
  const { InMemoryStore } = await import('@mastra/core/storage');
  const { MastraLanguageModelV2Mock } = await import('@mastra/core/test-utils/llm-mock');

  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  /** The storage outlives the host, as a database does. */
  const stores: InstanceType<typeof InMemoryStore>[] = [];
  let count = 0;

  const agentOf = async (spec: RunSpec, state: State, prompts: Message[][], tools: unknown[][]) => {
    const model = new MastraLanguageModelV2Mock({
      doStream: async (request: { prompt: Message[]; tools?: unknown[] }) => {
        prompts.push(request.prompt);
        tools.push(request.tools ?? []);
        const answered = request.prompt.at(-1)?.role === 'tool' || state.call.tool === '';
        const parts = answered
          ? [
              { type: 'text-start', id: 't' },
              { type: 'text-delta', id: 't', delta: 'done' },
              { type: 'text-end', id: 't' },
            ]
          : [
              {
                type: 'tool-call',
                toolCallId: state.toolCallId,
                toolName: state.call.tool,
                input: JSON.stringify(state.call.input),
              },
            ];
        const finishReason = answered ? 'stop' : 'tool-calls';
        return {
          stream: ReadableStream.from([
            { type: 'stream-start', warnings: [] },
            { type: 'response-metadata', id: 'r', modelId: 'm', timestamp: new Date(0) },
            ...parts,
            { type: 'finish', finishReason, usage },
          ]),
        };
      },
    } as never);
    const own = await mastraTools(spec.engine, spec.options);
    const agent = new Agent({
      id: 'tester',
      name: 'tester',
      instructions: 'Test.',
      model,
      tools: own.tools,
    });
    const storage = stores[state.store];
    const mastra = new Mastra({
      agents: { tester: agent },
      logger: false,
      ...(storage === undefined ? {} : { storage }),
    });
    return mastra.getAgent('tester');
  };

  const turnOf = async (
    spec: RunSpec,
    state: State,
    start: (agent: Awaited<ReturnType<typeof agentOf>>) => Promise<unknown>,
  ): Promise<Turn> => {
    const prompts: Message[][] = [];
    const agent = await agentOf(spec, state, prompts, []);
    const stream = (await start(agent)) as {
      readonly runId: string;
      readonly fullStream: AsyncIterable<{ type: string; payload?: Record<string, unknown> }>;
    };
    let paused = false;
    const outputs: string[] = [];
    let text = '';
    for await (const { type, payload } of stream.fullStream) {
      if (type === 'tool-call-approval') paused = true;
      if (type === 'tool-output') outputs.push(JSON.stringify(payload));
      if (type === 'tool-error') text = JSON.stringify(payload?.['error']);
    }
    const parts = (prompts.at(-1) ?? [])
      .filter(({ role }) => role === 'tool')
      .flatMap(({ content }) => content as { output?: { type: string; value?: unknown } }[]);
    const output = parts.at(-1)?.output;
    const items = (
      Array.isArray(output?.value) ? output.value : [{ text: asText(output?.value) }]
    ) as { text?: string; data?: string }[];
    const shown = items.map((item) => item.text ?? '').join('\n');
    return {
      paused,
      text: shown === '' ? text : shown,
      images: items.flatMap(({ data }) => data ?? []),
      isError: text !== '' || output?.type.startsWith('error') === true,
      outputs,
      state: JSON.stringify({ ...state, runId: stream.runId }),
    };
  };

  const driver: Driver = {
    approval: 'pause',
    streams: true,
    list: async (spec) => {
      const tools: unknown[][] = [];
      const state = { call: { tool: '', input: {} }, runId: '', toolCallId: '', store: -1 };
      const agent = await agentOf(spec, state, [], tools);
      const { fullStream } = await agent.stream('hi');
      for await (const _part of fullStream);
      const sent = (tools[0] ?? []) as { name: string; inputSchema?: unknown }[];
      return {
        names: sent.map(({ name }) => name),
        schema: sent.find(({ name }) => name === 'send')?.inputSchema,
      };
    },
    run: (spec, call) => {
      count += 1;
      const store = stores.push(new InMemoryStore()) - 1;
      const state = { call, runId: `run-${count}`, toolCallId: `call-${count}`, store };
      return turnOf(spec, state, (agent) =>
        agent.stream('do it', {
          runId: state.runId,
          ...(spec.signal === undefined ? {} : { abortSignal: spec.signal }),
        } as never),
      );
    },
    resume: (spec, text, approved) => {
      const state: State = JSON.parse(text);
      const about = { runId: state.runId, toolCallId: state.toolCallId };
      tamper(stores[state.store], state.call);
      return turnOf(spec, state, (agent) =>
        approved ? agent.approveToolCall(about) : agent.declineToolCall(about),
      );
    },
    approvals: async ({ engine, options }, text) => {
      const { call }: State = JSON.parse(text);
      return [await mastraTools(engine, options), { toolName: call.tool, input: call.input }];
    },
  };

  /** Puts the call of the state into the storage, as if the database had been changed. */
  function tamper(store: unknown, { input }: Call): void {
    if (!JSON.stringify(input).includes('eve')) return;
    const seen = new Set<unknown>();
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || seen.has(value)) return;
      seen.add(value);
      const entries = value instanceof Map ? [...value] : Object.entries(value);
      for (const [key, inner] of entries) {
        if (typeof inner === 'string') {
          const changed = inner.replaceAll('bob', 'eve');
          if (changed === inner) continue;
          if (value instanceof Map) value.set(key, changed);
          else Object.assign(value, { [key]: changed });
        } else visit(inner);
      }
    };
    visit(store);
  }

  describeAdapter('Mastra', driver);
});

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
