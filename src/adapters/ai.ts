import type { ToolSet } from 'ai';
import type { JsonObject } from '../../sandbox/wire/messages.js';
import { isRecord } from '../../sandbox/wire/json.js';
import type { ApprovalAnswer } from '../approval/stored-approvals.js';
import type { Engine } from '../engine/engine-api.js';
import type { ContentBlock } from '../plugin/answer.js';
import { labelOf, throwFailure, type ModelResult } from './models.js';
import { outputsOf } from './outputs.js';
import {
  type AdapterApprovals,
  type AdapterOptions,
  type CallReference,
  makeToolCalls,
} from './tool-calls.js';

export type { AdapterApprovals, AdapterOptions, CallReference } from './tool-calls.js';

/** An engine's tools for the AI SDK, version 6 or 7. */
export interface AiTools extends AdapterApprovals {
  /** For `tools` of `generateText`, `streamText` and agents. Calls that need approval pause. */
  readonly tools: ToolSet;
  /** For `toolApproval` of version 7: also denies, with the reason, what policies and rules deny. */
  readonly toolApproval: AiToolApproval;
  /**
   * Records the answers to approval requests that the messages contain, in the name of the person who
   * sent them. Call it only after you have authenticated that person. An answer counts only for the
   * exact call that the messages show, and only if its question is pending. Resolves with the number of
   * answers that counted.
   */
  recordAnswers(messages: readonly unknown[], by: Omit<ApprovalAnswer, 'verdict'>): Promise<number>;
}

/** Decides about a call, in the form of version 7. */
export type AiToolApproval = (request: {
  readonly toolCall: {
    readonly toolName: string;
    readonly toolCallId: string;
    readonly input: unknown;
  };
}) => Promise<
  | 'not-applicable'
  | { readonly type: 'user-approval'; readonly reason: string }
  | { readonly type: 'denied'; readonly reason: string }
>;

/** The output of a tool. While the tool runs, `content` has its output so far. */
export interface AiToolOutput {
  readonly content: readonly ContentBlock[];
  readonly structured?: ModelResult['structured'];
  readonly files?: readonly string[];
}

interface CallDetails {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal;
}

/** Offers the engine's tools to the AI SDK. The tools are those of now: call it for each request. */
export function aiTools(engine: Engine, options: AdapterOptions = {}): AiTools {
  const calls = makeToolCalls(engine, 'ai', options);
  const offered = calls.list();
  /** Version 7 passes `context` to a tool. It replaced the parts in which version 6 sends images. */
  let isSeven = false;
  const learnVersion = (details: object): void => {
    isSeven = 'context' in details;
  };

  async function* execute(name: string, input: unknown, details: CallDetails) {
    learnVersion(details);
    const { toolCallId: id, abortSignal: signal } = details;
    const outputs = outputsOf((onOutput) => calls.run({ name, input, id }, { signal, onOutput }));
    let text = '';
    let next = await outputs.next();
    while (next.done !== true) {
      text = (text + next.value).slice(-MAX_SHOWN_CHARACTERS);
      const output: AiToolOutput = { content: [{ type: 'text', text }] };
      yield output;
      next = await outputs.next();
    }
    const { content, structured, files } = throwFailure(next.value);
    const output: AiToolOutput = {
      content,
      ...(structured === undefined ? {} : { structured }),
      ...(files === undefined ? {} : { files }),
    };
    yield output;
  }

  const tools = offered.map(({ name, title, description, inputSchema }) => [
    name,
    {
      type: 'dynamic' as const,
      title,
      description,
      inputSchema: schemaOf(inputSchema),
      needsApproval: async (input: unknown, details: CallDetails) => {
        learnVersion(details);
        return (await calls.ask({ name, input, id: details.toolCallId })) !== undefined;
      },
      execute: (input: unknown, details: CallDetails) => execute(name, input, details),
      toModelOutput: ({ output }: { readonly output: unknown }) =>
        modelOutput(output, isSeven ? filePart : imagePart),
    },
  ]);
  return {
    tools: Object.fromEntries(tools),
    toolApproval: async ({ toolCall: { toolName: name, toolCallId: id, input } }) => {
      if (!offered.some((tool) => tool.name === name)) return 'not-applicable';
      const denial = calls.denial({ name, input, id });
      if (denial !== undefined) return { type: 'denied', reason: denial };
      const question = await calls.ask({ name, input, id });
      return question === undefined
        ? 'not-applicable'
        : { type: 'user-approval', reason: question.why };
    },
    question: calls.question,
    answer: calls.answer,
    recordAnswers: async (messages, by) => {
      let count = 0;
      for (const { call, approved, reason } of answersIn(messages)) {
        const { approvalId } = calls.question(call) ?? {};
        if (approvalId === undefined) continue;
        if (engine.approvals.get(approvalId)?.state !== 'pending') continue;
        await engine.approvals.answer(approvalId, {
          ...by,
          verdict: approved ? 'once' : 'deny',
          ...(reason === undefined ? {} : { reason }),
        });
        count += 1;
      }
      return count;
    },
  };
}

/** Characters of output that a running tool shows. Each output contains those before. */
const MAX_SHOWN_CHARACTERS = 64 * 1024;

/**
 * A schema as the SDK's `jsonSchema()` makes it. It has no validation: the engine checks the input in
 * the plugin's own process, because a plugin's schema may take forever.
 */
function schemaOf(jsonSchema: JsonObject): object {
  return {
    [Symbol.for('vercel.ai.schema')]: true,
    _type: undefined,
    jsonSchema,
    validate: undefined,
  };
}

type Part = (data: string, mediaType: string) => object;

const filePart: Part = (data, mediaType) => ({
  type: 'file',
  mediaType,
  data: { type: 'data', data },
});

const imagePart: Part = (data, mediaType) => ({ type: 'image-data', data, mediaType });

/** What the model sees of an output. It may come from a client, so any value must do. */
function modelOutput(output: unknown, part: Part): object {
  const { content, files } = isRecord(output) ? output : {};
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const links: readonly unknown[] = Array.isArray(files) ? files : [];
  const value = [...blocks, ...links.map((text) => ({ type: 'text', text }))].flatMap((block) => {
    if (!isRecord(block)) return [];
    const { type, text, data, mimeType } = block;
    if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }];
    if (typeof data !== 'string' || typeof mimeType !== 'string') return [];
    if (type === 'image') return [part(data, mimeType)];
    return [{ type: 'text', text: labelOf({ type: 'file', mimeType, data }) }];
  });
  const texts = value.flatMap((one) => ('text' in one ? [one.text] : []));
  return texts.length === value.length
    ? { type: 'text', value: texts.join('\n') }
    : { type: 'content', value };
}

interface FoundAnswer {
  readonly call: Exclude<CallReference, string>;
  readonly approved: boolean;
  readonly reason: string | undefined;
}

/** The answers in model messages, and in messages of a user interface. */
function answersIn(messages: readonly unknown[]): FoundAnswer[] {
  const calls = new Map<string, FoundAnswer['call']>();
  const asked = new Map<string, string>();
  const answers: FoundAnswer[] = [];
  const add = (callId: string | undefined, answer: Record<string, unknown>): void => {
    const call = callId === undefined ? undefined : calls.get(callId);
    const { approved, reason } = answer;
    if (call === undefined || typeof approved !== 'boolean') return;
    answers.push({ call, approved, reason: textOrNone(reason) });
  };
  for (const part of messages.flatMap(partsOf)) {
    if (!isRecord(part)) continue;
    const { type, approvalId, toolCallId: id, input, approval } = part;
    const toolName = toolNameOf(part);
    if (typeof id === 'string' && toolName !== undefined) calls.set(id, { id, toolName, input });
    if (typeof approvalId === 'string' && typeof id === 'string') asked.set(approvalId, id);
    if (type === 'tool-approval-response' && typeof approvalId === 'string') {
      add(asked.get(approvalId), part);
    } else if (isRecord(approval) && typeof id === 'string') {
      add(id, approval);
    }
  }
  return answers;
}

function partsOf(message: unknown): readonly unknown[] {
  if (!isRecord(message)) return [];
  const { content, parts } = message;
  return [...(Array.isArray(content) ? content : []), ...(Array.isArray(parts) ? parts : [])];
}

/** The tool of a call: `tool-call` in model messages, `dynamic-tool` or `tool-<name>` in others. */
function toolNameOf({ type, toolName }: Record<string, unknown>): string | undefined {
  if (type === 'tool-call' || type === 'dynamic-tool') return textOrNone(toolName);
  if (typeof type !== 'string' || !type.startsWith('tool-')) return undefined;
  return /^tool-(approval|result|error)/.test(type) ? undefined : type.slice('tool-'.length);
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
