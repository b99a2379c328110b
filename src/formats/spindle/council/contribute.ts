import type { Engine } from '../../../engine/engine-api.js';
import type { Json, JsonObject } from '../../../../sandbox/wire/messages.js';
import { textOf } from '../../../plugin/answer.js';
import { type ContextMessage, formatMessages } from '../invocation.js';
import type { CouncilToolResult } from './deliberation.js';
import type { CouncilMember, CouncilSettings } from './settings.js';
import { type CouncilTool, type ResolveSidecar, runPrompt } from './tools.js';
import { messageOf } from '../../../errors.js';

export interface ContributeCapabilities {
  readonly engine: Pick<Engine, 'call'>;
  readonly resolveSidecar: ResolveSidecar | undefined;
  readonly planArguments:
    | ((tool: CouncilTool, context: readonly ContextMessage[]) => Promise<JsonObject | undefined>)
    | undefined;
  readonly now: () => number;
}

interface Contribution {
  /** `undefined`: the main model's own call, for no member. Prompts need a member. */
  readonly member: CouncilMember | undefined;
  readonly tool: CouncilTool;
  readonly settings: CouncilSettings;
  readonly context: readonly ContextMessage[];
  /** The model's arguments. Default: those that the host plans, else none. */
  readonly args?: Json;
  readonly signal: AbortSignal;
}

/** Runs a tool for a member, once. Never rejects: a failure is a result. */
export async function contribute(
  capabilities: ContributeCapabilities,
  contribution: Contribution,
): Promise<CouncilToolResult> {
  const { member, tool } = contribution;
  const began = capabilities.now();
  const about = {
    memberId: member?.memberId ?? '',
    memberName: member?.name ?? '',
    toolName: tool.name,
    toolDisplayName: tool.displayName,
  };
  try {
    // A model or a host function may ignore the signal.
    const content = await untilAborted(run(capabilities, contribution), contribution.signal);
    return { ...about, success: true, content, durationMs: capabilities.now() - began };
  } catch (error) {
    const message = messageOf(error);
    const durationMs = capabilities.now() - began;
    return { ...about, success: false, content: '', error: message, durationMs };
  }
}

async function run(
  capabilities: ContributeCapabilities,
  contribution: Contribution,
): Promise<string> {
  const { member, tool, settings, context, signal } = contribution;
  if (tool.kind === 'prompt') {
    if (member === undefined) throw new Error(`The prompt ${tool.name} needs a member.`);
    return runPrompt(tool.tool, member, context, settings, capabilities.resolveSidecar, signal);
  }
  const args = contribution.args ?? (await capabilities.planArguments?.(tool, context));
  const result = await capabilities.engine.call(tool.name, args ?? {}, {
    signal,
    timeoutMs: settings.toolsSettings.timeoutMs,
    // Without arguments, the tool uses the chat in its context.
    ...(args === undefined ? { incomplete: true } : {}),
    context: {
      ...(member === undefined ? {} : { councilMember: asContext(member) }),
      contextMessages: context,
      context: formatMessages(context),
    },
  });
  const text = textOf(result.content);
  if (result.isError) throw new Error(text);
  return text;
}

/** Rejects when the signal aborts, if the promise is still pending then. */
async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let onAbort: () => void = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new Error('The generation was aborted.'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
  });
  try {
    // guard: council-ends-with-its-generation
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function asContext(member: CouncilMember): JsonObject {
  const { tools: _tools, history: _history, ...context } = member;
  return context;
}

/** Returns a number from 0 up to but not including 1. */
export type Dice = () => number;

/** Dice that repeat for the same seed, to reproduce a generation (mulberry32). */
export function makeSeededDice(seed: number): Dice {
  let state = Math.trunc(seed) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Whether a member with this chance in percent takes part. 0 is never, 100 is always. */
export function takesPart(chance: number, dice: Dice): boolean {
  if (chance >= 100) return true;
  return chance > 0 && dice() * 100 < chance;
}
