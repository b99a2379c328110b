import {
  Agent,
  type AgentOutputItem,
  type Model,
  type ModelRequest,
  type ModelResponse,
  run,
  RunState,
  setTracingDisabled,
  Usage,
} from '@openai/agents';
import { openaiAgentTools } from 'bulkhead/openai-agents';
import { type Call, describeAdapter, type Driver, type RunSpec, type Turn } from './contract.js';

setTracingDisabled(true);

class ScriptedModel implements Model {
  readonly requests: ModelRequest[] = [];
  readonly id: string;
  readonly call: Call | undefined;

  constructor(id: string, call: Call | undefined) {
    this.id = id;
    this.call = call;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    this.requests.push(request);
    const items = Array.isArray(request.input) ? request.input : [];
    const answered = items.at(-1)?.type === 'function_call_result';
    const output: AgentOutputItem[] =
      answered || this.call === undefined
        ? [
            {
              type: 'message',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: 'done' }],
            },
          ]
        : [
            {
              type: 'function_call',
              callId: this.id,
              name: this.call.tool,
              arguments: JSON.stringify(this.call.input),
              status: 'completed',
            },
          ];
    return { usage: new Usage(), output };
  }

  getStreamedResponse(): never {
    throw new Error('not used');
  }
}

interface State {
  readonly id: string;
  readonly run: string;
}

let count = 0;

async function agentOf({ engine, options }: RunSpec, model: Model): Promise<Agent> {
  const { tools } = await openaiAgentTools(engine, options);
  return new Agent({ name: 'tester', model, tools });
}

async function turnOf(
  spec: RunSpec,
  agent: Agent,
  model: ScriptedModel,
  input: string | RunState<undefined, Agent>,
): Promise<Turn> {
  const result = await run(
    agent,
    input as string,
    spec.signal === undefined ? {} : { signal: spec.signal },
  );
  const item = result.history.findLast((one) => one.type === 'function_call_result');
  const output = item?.type === 'function_call_result' ? item.output : '';
  const parts = (
    Array.isArray(output) ? output : [typeof output === 'string' ? { text: output } : output]
  ) as { text?: string; image?: string | { data?: string } }[];
  return {
    paused: result.interruptions.length > 0,
    text: parts
      .map(({ text = '' }) => text)
      .join('\n')
      .trim(),
    images: parts.flatMap(({ image }) => {
      const data = typeof image === 'string' ? image : image?.data;
      return data === undefined ? [] : [data.replace(/^data:image\/png;base64,/, '')];
    }),
    state: JSON.stringify({ id: model.id, run: result.state.toString() }),
  };
}

const driver: Driver = {
  approval: 'pause',
  streams: false,
  list: async (spec) => {
    const model = new ScriptedModel('x', undefined);
    await run(await agentOf(spec, model), 'hi');
    const tools = model.requests[0]?.tools ?? [];
    const send = tools.find(({ name }) => name === 'send');
    return {
      names: tools.map(({ name }) => name),
      schema: send?.type === 'function' ? send.parameters : undefined,
    };
  },
  run: async (spec, call) => {
    count += 1;
    const model = new ScriptedModel(`call-${count}`, call);
    return turnOf(spec, await agentOf(spec, model), model, 'do it');
  },
  resume: async (spec, text, approved) => {
    const stored: State = JSON.parse(text);
    const model = new ScriptedModel(stored.id, undefined);
    const agent = await agentOf(spec, model);
    const state = await RunState.fromString(agent, stored.run);
    for (const interruption of state.getInterruptions()) {
      if (approved) state.approve(interruption);
      else state.reject(interruption);
    }
    return turnOf(spec, agent, model, state as never);
  },
  approvals: async ({ engine, options }, text) => {
    const { id }: State = JSON.parse(text);
    return [await openaiAgentTools(engine, options), id];
  },
};

describeAdapter('the OpenAI Agents SDK', driver);
