import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { FakeBuiltModel } from '@langchain/core/testing';
import { Command, MemorySaver } from '@langchain/langgraph';
import { createAgent, humanInTheLoopMiddleware } from 'langchain';
import { langchainTools } from 'bulkhead/langchain';
import { type Call, describeAdapter, type Driver, type RunSpec, type Turn } from './contract.js';

interface State {
  readonly call: Call;
  readonly id: string;
  readonly thread: string;
}

/** The checkpoints outlive the host, as a database does. */
let savers = new Map<string, MemorySaver>();
let count = 0;

function modelOf(state: State): FakeBuiltModel {
  return new FakeBuiltModel()
    .respondWithTools([{ name: state.call.tool, args: state.call.input, id: state.id }])
    .respond(new AIMessage('done'));
}

async function turnOf(
  spec: RunSpec,
  state: State,
  input: unknown,
  model: FakeBuiltModel = modelOf(state),
): Promise<Turn> {
  const { tools, interruptOn } = await langchainTools(spec.engine, spec.options);
  const saver = savers.get(state.thread) ?? new MemorySaver();
  savers.set(state.thread, saver);
  const agent = createAgent({
    model,
    tools,
    middleware: [humanInTheLoopMiddleware({ interruptOn })],
    checkpointer: saver,
  });
  const outputs: string[] = [];
  const result: { messages: BaseMessage[]; __interrupt__?: unknown[] } = (await agent.invoke(
    input as Parameters<typeof agent.invoke>[0],
    {
      configurable: { thread_id: state.thread },
      ...(spec.signal === undefined ? {} : { signal: spec.signal }),
      callbacks: [
        {
          handleToolEvent: (chunk: unknown) => {
            outputs.push(String(chunk));
          },
        },
      ],
    },
  )) as never;
  const message = result.messages.findLast((one) => ToolMessage.isInstance(one));
  const content = message?.content ?? '';
  const blocks = (Array.isArray(content) ? content : [{ type: 'text', text: content }]) as {
    text?: string;
    data?: string;
  }[];
  return {
    paused: (result.__interrupt__?.length ?? 0) > 0,
    text: blocks.map(({ text = '' }) => text).join('\n'),
    images: blocks.flatMap(({ data }) => data ?? []),
    isError: message !== undefined && ToolMessage.isInstance(message) && message.status === 'error',
    outputs,
    state: JSON.stringify({ ...state, interrupt: result.__interrupt__ }),
  };
}

const driver: Driver = {
  approval: 'pause',
  streams: true,
  list: async ({ engine, options }) => {
    const { tools } = await langchainTools(engine, options);
    return {
      names: tools.map(({ name }) => name),
      schema: tools.find(({ name }) => name === 'send')?.schema,
    };
  },
  run: (spec, call) => {
    count += 1;
    const state = { call, id: `call-${count}`, thread: `thread-${count}` };
    return turnOf(spec, state, { messages: [new HumanMessage('do it')] });
  },
  resume: async (spec, text, approved) => {
    const state: State = JSON.parse(text);
    const decision = approved ? { type: 'approve' } : { type: 'reject' };
    const model = new FakeBuiltModel().respond(new AIMessage('done'));
    await tamper(state);
    return turnOf(spec, state, new Command({ resume: { decisions: [decision] } }), model);
  },
  approvals: async ({ engine, options }, text) => {
    const state: State & {
      interrupt?: { value: { actionRequests: { description: string }[] } }[];
    } = JSON.parse(text);
    const own = await langchainTools(engine, options);
    const action = state.interrupt?.[0]?.value.actionRequests[0];
    // The interrupt names the stored question.
    if (action !== undefined) {
      const id = own.approvalIdOf(action);
      if (id !== own.question(state.id)?.approvalId) throw new Error(`not the question: ${id}`);
    }
    return [own, state.id];
  },
};

/** Puts the call of the state into the checkpoint, as if the database had been changed. */
async function tamper({ thread, call }: State): Promise<void> {
  const saver = savers.get(thread);
  if (saver === undefined || !JSON.stringify(call.input).includes('eve')) return;
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  for (const namespaces of Object.values(saver.storage)) {
    for (const checkpoints of Object.values(namespaces)) {
      for (const tuple of Object.values(checkpoints)) {
        const [checkpoint] = tuple;
        const changed = text(checkpoint).replaceAll('bob', 'eve');
        tuple[0] = new TextEncoder().encode(changed);
      }
    }
  }
}

describeAdapter('LangChain', driver);
