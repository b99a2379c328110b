import type { Block, Message } from '../../src/agent/message.js';
import type { Model, ModelReply, ModelRequest } from '../../src/agent/model.js';
import { makeAgent } from '../../src/agent/agent.js';
import type { AgentOptions, TurnEvent, TurnInput, TurnResult } from '../../src/agent/options.js';
import type { EngineOptions } from '../../src/index.js';
import { startEngine } from '../engine/plugin-on-disk.js';
import { makeVellum, type VellumSpec } from '../engine/vellum-on-disk.js';

/** A reply of the model's: a text, tool calls by name, or whatever is given. */
export type Said = string | Readonly<Record<string, object>> | ModelReply | Error;

export interface Conversation {
  readonly result: TurnResult;
  /** What the model was asked, each time. */
  readonly requests: readonly ModelRequest[];
  readonly events: readonly TurnEvent[];
}

export interface Setting {
  readonly plugins: readonly VellumSpec[];
  readonly says: readonly Said[];
  readonly options?: Partial<AgentOptions>;
  readonly engine?: Partial<EngineOptions>;
  readonly input?: Partial<TurnInput>;
  /** Before the model answers for the n-th time, from 0. */
  readonly beforeReply?: (n: number) => void;
}

export const CLASSIC = '^0.8.0';
export const CURRENT = '>=0.10.0';

/** Runs one turn in an engine of these plugins, with a model that says what it was given to say. */
export async function converse(setting: Setting): Promise<Conversation> {
  const engine = await startEngine(
    setting.plugins.map((spec, at) => makeVellum({ name: `plugin-${at}`, ...spec })),
    { tolerance: 'full', ...setting.engine },
  );
  const requests: ModelRequest[] = [];
  const events: TurnEvent[] = [];
  const model: Model = {
    respond: async (request, { onText }) => {
      setting.beforeReply?.(requests.length);
      const said = setting.says[requests.length];
      requests.push(request);
      if (said === undefined) throw new Error('the model was asked once more');
      if (said instanceof Error) throw said;
      const reply = replyOf(said, requests.length);
      for (const { type, text } of reply.content) {
        if (type === 'text' && typeof text === 'string') onText(text);
      }
      return reply;
    },
  };
  const result = await makeAgent(engine, { model, ...setting.options }).turn({
    prompt: 'hello',
    onEvent: (event) => events.push(event),
    ...setting.input,
  });
  await engine.close();
  return { result, requests, events };
}

function replyOf(said: Exclude<Said, Error>, at: number): ModelReply {
  if (typeof said === 'string') {
    return { content: [{ type: 'text', text: said }], stopReason: 'end_turn' };
  }
  if (isReply(said)) return said;
  const content = Object.entries(said).map(([name, input], n): Block => ({
    type: 'tool_use',
    id: `use-${at}-${n}`,
    name,
    input: { ...input },
  }));
  return { content, stopReason: 'tool_use' };
}

function isReply(said: object): said is ModelReply {
  return 'content' in said && Array.isArray(said.content);
}

/** The texts that were shown while the turn ran, in order. */
export function shown(events: readonly TurnEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
}

/** A conversation in short: roles, texts, calls and results. */
export function brief(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }) =>
    content.map((block) => {
      const { type, text, name, content: result, is_error: isError } = block;
      if (type === 'text') return `${role}: ${shownAs(text)}`;
      if (type === 'tool_use') return `${role}: calls ${shownAs(name)}`;
      return `${role}: ${isError === true ? 'error' : 'result'} ${shownAs(result)}`;
    }),
  );
}

function shownAs(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
