import type { Engine } from '../engine/engine-api.js';
import {
  type Block,
  isToolUse,
  type Message,
  readBlocks,
  readMessages,
  textOfBlocks,
} from './message.js';
import type { ModelReply, ModelTool } from './model.js';
import type { TurnInput } from './options.js';
import { type Run, runHooks, waitForModel } from './run.js';

/** The result of one model call, after every hook. */
export interface Reply {
  readonly content: readonly Block[];
  readonly stopReason: string | null;
  /** Tool calls of the content that must not run, by id, with the reason for the model. */
  readonly brokenCalls: ReadonlyMap<string, string>;
  /** The failure of the model, or of the connection to it. */
  readonly error?: { readonly message: string };
  /** Whether a hook continues the turn with another model call. */
  readonly callAgain: boolean;
}

/** The only call site of a turn (Vellum hooks, call sites). */
const CALL_SITE = 'mainAgent';

/** Calls the model, with `pre-model-call` before and `post-model-call` after it. */
export async function callModel(run: Run): Promise<Reply> {
  const { conversationId, input } = run;
  const { modelProfile } = input;
  const system = input.system ?? run.options.system;
  const before = await runHooks(run, 'pre-model-call', {
    conversationId,
    callSite: CALL_SITE,
    ...(system === undefined ? {} : { systemPrompt: system }),
    deferAssistantOutput: false,
    ...(modelProfile === undefined || modelProfile === null ? {} : { modelProfile }),
  });
  const deferred = before['deferAssistantOutput'] === true;
  let shown = false;
  const outcome = await respond(run, before, (text) => {
    if (deferred) return;
    shown = true;
    run.emit({ type: 'text', text });
  });

  const after = await runHooks(run, 'post-model-call', {
    conversationId,
    callSite: CALL_SITE,
    content: outcome.content,
    ...(typeof outcome.stopReason === 'string' ? { stopReason: outcome.stopReason } : {}),
    messages: run.messages,
    ...(outcome.error === undefined ? {} : { error: outcome.error }),
    decision: 'stop',
  });
  const content = filterToolUses(run, outcome, readBlocks(after['content']));
  // Text that was not streamed is emitted once, as the hooks returned it.
  if (!shown && outcome.error === undefined) {
    const text = textOfBlocks(content);
    if (text !== '') run.emit({ type: 'text', text });
  }
  const callAgain =
    after['decision'] === 'continue' && !shown && !content.some(isToolUse) && useContinuation(run);
  if (callAgain) run.messages = readMessages(after['messages']);
  return {
    content,
    stopReason: outcome.stopReason ?? null,
    brokenCalls: outcome.brokenCalls ?? NONE_BROKEN,
    ...(outcome.error === undefined ? {} : { error: outcome.error }),
    callAgain,
  };
}

/** Uses one of the continuations that hooks have in this turn. Returns whether one was left. */
export function useContinuation(run: Run): boolean {
  run.continuations -= 1;
  return run.continuations >= 0;
}

const NONE_BROKEN: ReadonlyMap<string, string> = new Map();

type Outcome = ModelReply & { readonly error?: { readonly message: string } };

async function respond(
  run: Run,
  context: Readonly<Record<string, unknown>>,
  onText: (text: string) => void,
): Promise<Outcome> {
  const { options, messages, engine, input } = run;
  const { systemPrompt, modelProfile } = context;
  const request = {
    messages,
    tools: toolsOf(engine, input),
    ...(typeof systemPrompt === 'string' ? { system: systemPrompt } : {}),
    ...(typeof modelProfile === 'string' ? { profile: modelProfile } : {}),
  };
  try {
    return await waitForModel(run, async (signal) =>
      options.model.respond(request, {
        // Text after the turn was aborted is dropped.
        onText: (text) => (signal.aborted ? undefined : onText(text)),
        signal,
      }),
    );
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The model failed.';
    return { content: [], error: { message } };
  }
}

/** The tools of this turn, under their names in the catalog. */
function toolsOf(engine: Engine, { policy, unattended }: TurnInput): ModelTool[] {
  return engine
    .availableTools({
      ...(policy === undefined ? {} : { policy }),
      ...(unattended === undefined ? {} : { unattended }),
    })
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
}

/**
 * Drops tool calls that must not run: those of a truncated reply, whose input may be incomplete, and
 * those that hooks added if the host drops them.
 */
function filterToolUses(
  { options }: Run,
  { content, stopReason }: ModelReply,
  changed: readonly Block[],
): readonly Block[] {
  // guard: truncated-tool-calls-dropped
  if (!isWhole(stopReason)) return changed.filter((block) => !isToolUse(block));
  if (options.toolUsesOfHooks === 'run') return changed;
  const own = new Set(content.filter(isToolUse).map((block) => JSON.stringify(block)));
  return changed.filter((block) => !isToolUse(block) || own.has(JSON.stringify(block)));
}

/** Reasons to stop after which a reply is whole. Any other one may have cut a tool call. */
const WHOLE: ReadonlySet<string> = new Set([
  'tool_use',
  'end_turn',
  'stop_sequence',
  'pause_turn',
  'stop',
  'eos',
  'eos_token',
]);

function isWhole(stopReason: string | null | undefined): boolean {
  return stopReason === null || stopReason === undefined || WHOLE.has(stopReason);
}

export function assistantMessage(content: readonly Block[]): Message {
  return { role: 'assistant', content };
}
