import type { Engine } from '../engine/engine-api.js';
import { type ContextMessage, formatMessages } from '../formats/spindle/invocation/messages.js';
import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import type { CouncilToolResult } from './deliberation.js';
import { type ResolveSidecar, runPrompt } from './prompt-tool.js';
import type { CouncilMember, CouncilSettings } from './settings.js';
import type { CouncilTool } from './tools.js';

/** What it takes to let members use tools. */
export interface ContributePowers {
  readonly engine: Pick<Engine, 'call'>;
  readonly resolveSidecar: ResolveSidecar | undefined;
  /** Says what to call a tool with, where the host can; tools are called without arguments else. */
  readonly planArguments:
    | ((tool: CouncilTool, context: readonly ContextMessage[]) => Promise<JsonObject | undefined>)
    | undefined;
  readonly now: () => number;
}

export interface Contribution {
  readonly member: CouncilMember;
  /** The model's own call, which no member made: the tool is told of none. */
  readonly isNobodys?: boolean;
  readonly tool: CouncilTool;
  readonly settings: CouncilSettings;
  readonly context: readonly ContextMessage[];
  /** What a model wrote. Absent: nobody did. */
  readonly args?: Json;
  readonly signal: AbortSignal;
}

/** Lets a member use a tool, once. Never rejects: what goes wrong is a result. */
export async function contribute(
  powers: ContributePowers,
  contribution: Contribution,
): Promise<CouncilToolResult> {
  const { member, tool } = contribution;
  const began = powers.now();
  const about = {
    memberId: member.memberId,
    memberName: member.name,
    toolName: tool.name,
    toolDisplayName: tool.displayName,
  };
  try {
    const content = await run(powers, contribution);
    return { ...about, success: true, content, durationMs: powers.now() - began };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const durationMs = powers.now() - began;
    return { ...about, success: false, content: '', error: message, durationMs };
  }
}

async function run(powers: ContributePowers, contribution: Contribution): Promise<string> {
  const { member, tool, settings, context, signal } = contribution;
  if (tool.kind === 'prompt') {
    return runPrompt(tool.tool, member, context, settings, powers.resolveSidecar, signal);
  }
  const args = contribution.args ?? (await powers.planArguments?.(tool, context));
  const { tools: _tools, history: _history, ...told } = member;
  const result = await powers.engine.call(tool.name, args ?? {}, {
    signal,
    timeoutMs: settings.toolsSettings.timeoutMs,
    // Nobody said what to call it with: the chat in its context is what it has to go by.
    ...(args === undefined ? { incomplete: true } : {}),
    context: {
      ...(contribution.isNobodys === true ? {} : { councilMember: told }),
      contextMessages: context,
      context: formatMessages(context),
    },
  });
  const text = result.content.flatMap((block) => block.text ?? []).join('\n');
  if (result.isError) throw new Error(text);
  return text;
}
