import type { ModelReply } from './model.js';
import {
  type Block,
  isToolUse,
  type Message,
  readBlocks,
  readMessages,
  textOfBlocks,
} from './message.js';
import { offeredTools } from './offered.js';
import { waitForModel } from './patience.js';
import { type Run, runHooks } from './run.js';

/** What one call of the model came to, once every hook has seen it. */
export interface Reply {
  readonly content: readonly Block[];
  readonly stopReason: string | null;
  /** What the model, or the way to it, failed with. */
  readonly error?: { readonly message: string };
  /** A hook wants the model to be asked again, and may. */
  readonly again: boolean;
}

/** The one place that a turn calls a model from (Vellum hooks, call sites). */
const CALL_SITE = 'mainAgent';

/** Asks the model, with `pre-model-call` before and `post-model-call` after it. */
export async function askModel(run: Run): Promise<Reply> {
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
    run.tell({ type: 'text', text });
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
  const content = settle(run, outcome, readBlocks(after['content']));
  // What nobody has seen yet is said once, as the hooks left it.
  if (!shown && outcome.error === undefined) {
    const text = textOfBlocks(content);
    if (text !== '') run.tell({ type: 'text', text });
  }
  const again =
    after['decision'] === 'continue' && !shown && !content.some(isToolUse) && takeContinuation(run);
  if (again) run.messages = readMessages(after['messages']);
  return {
    content,
    stopReason: outcome.stopReason ?? null,
    ...(outcome.error === undefined ? {} : { error: outcome.error }),
    again,
  };
}

/** Takes one of the continuations that hooks have in this turn; answers whether there was one. */
export function takeContinuation(run: Run): boolean {
  run.continuations -= 1;
  return run.continuations >= 0;
}

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
    tools: offeredTools(engine, input),
    ...(typeof systemPrompt === 'string' ? { system: systemPrompt } : {}),
    ...(typeof modelProfile === 'string' ? { profile: modelProfile } : {}),
  };
  try {
    return await waitForModel(run, async (signal) =>
      options.model.respond(request, {
        // What it still says when nobody waits any more is for nobody.
        onText: (text) => (signal.aborted ? undefined : onText(text)),
        signal,
      }),
    );
  } catch (error) {
    const message = error instanceof Error ? error.message : 'The model failed.';
    return { content: [], error: { message } };
  }
}

/**
 * The content that counts. Of a reply that was cut short no tool call is run: its input may be half
 * of what was meant. What hooks put in is run or left out, as the host says.
 */
function settle(
  { options }: Run,
  { content, stopReason }: ModelReply,
  changed: readonly Block[],
): readonly Block[] {
  if (stopReason === 'max_tokens') return changed.filter((block) => !isToolUse(block));
  if (options.toolUsesOfHooks === 'run') return changed;
  const own = new Set(content.filter(isToolUse).map((block) => JSON.stringify(block)));
  return changed.filter((block) => !isToolUse(block) || own.has(JSON.stringify(block)));
}

export function assistantMessage(content: readonly Block[]): Message {
  return { role: 'assistant', content };
}
