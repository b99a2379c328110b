import { fitContext } from './compaction.js';
import { isToolUse, type Message, readMessages, textBlock, textOfBlocks } from './message.js';
import type { ExitReason, TurnResult } from './options.js';
import { askModel, assistantMessage, takeContinuation } from './reply.js';
import { type Run, runHooks } from './run.js';
import { runTools } from './tools.js';

/**
 * Runs one turn to its end (Vellum hooks, The Agent Loop):
 *
 * ```
 *   prompt ─ user-prompt-submit ─► context check ─ pre-model-call ─► model ─ post-model-call ─► reply
 *                                      ▲   ▲                                                   │   │
 *                     continue ────────┘   └── post-tool-use ─ tools ◄────────── tool calls ───┘   │
 *                        └────────────────────────── stop ◄─────────────────────── none ───────────┘
 * ```
 *
 * Whatever way it ends, the messages are a conversation that a next turn can go on from: every tool
 * call in it has its result.
 */
export async function runTurn(run: Run): Promise<TurnResult> {
  await submitPrompt(run);
  let iterations = 0;
  const end = await loop(run, () => (iterations += 1)).catch((error: unknown): End => {
    if (run.signal.aborted) return { exitReason: 'aborted_via_error' };
    return { exitReason: 'error', error: { message: messageOf(error) } };
  });
  await tellOfEnd(run, end);
  const last = run.messages.findLast(({ role }) => role === 'assistant');
  return {
    messages: run.messages,
    text: last === undefined ? '' : textOfBlocks(last.content),
    exitReason: end.exitReason,
    ...(end.error === undefined ? {} : { error: end.error }),
    iterations,
  };
}

interface End {
  readonly exitReason: ExitReason;
  readonly error?: { readonly message: string };
}

async function submitPrompt(run: Run): Promise<void> {
  const { input } = run;
  const content = typeof input.prompt === 'string' ? [textBlock(input.prompt)] : input.prompt;
  const said: Message = { role: 'user', content };
  const messages = [...run.messages, said];
  const context = await runHooks(run, 'user-prompt-submit', {
    conversationId: run.conversationId,
    userMessageId: input.userMessageId ?? run.requestId,
    requestId: run.requestId,
    modelProfileKey: input.modelProfile ?? null,
    isNonInteractive: input.isInteractive === false,
    prompt: textOfBlocks(content),
    originalMessages: messages,
    latestMessages: messages,
  });
  run.messages = readMessages(context['latestMessages']);
}

async function loop(run: Run, count: () => number): Promise<End> {
  for (;;) {
    if (run.signal.aborted) return { exitReason: 'aborted_pre_call' };
    if (!(await fitContext(run))) return { exitReason: 'context_too_large' };
    if (count() > run.options.maxIterations) return { exitReason: 'budget_yield_unrecovered' };
    const { content, stopReason, error, again } = await askModel(run);
    if (content.length > 0) {
      const message = assistantMessage(content);
      run.messages = [...run.messages, message];
      run.tell({ type: 'reply', message });
    }
    const uses = content.filter(isToolUse);
    if (run.signal.aborted) {
      await answerInVain(run);
      return { exitReason: 'aborted_post_response' };
    }
    if (again) continue;
    if (error !== undefined) return { exitReason: 'error', error };
    if (stopReason === 'max_tokens') return { exitReason: 'max_tokens_reached' };
    if (uses.length === 0) {
      if (await mayStop(run, content, stopReason)) return { exitReason: 'no_tool_calls' };
      continue;
    }
    const { content: results, yields } = await runTools(run, uses);
    run.messages = [...run.messages, { role: 'user', content: results }];
    if (run.signal.aborted) return { exitReason: 'aborted_during_tools' };
    if (yields) return { exitReason: 'yield_to_user' };
  }
}

/** Gives the calls of the last reply a result each, that nobody ran. */
async function answerInVain(run: Run): Promise<void> {
  const uses = run.messages.at(-1)?.content.filter(isToolUse) ?? [];
  if (uses.length === 0) return;
  const { content } = await runTools(run, uses);
  run.messages = [...run.messages, { role: 'user', content }];
}

/** The stop boundary of the classic dialect: a hook may have the turn go on, with what it adds. */
async function mayStop(
  run: Run,
  responseContent: Message['content'],
  stopReason: string | null,
): Promise<boolean> {
  if (!hasStop(run, 'classic')) return true;
  const context = await runHooks(
    run,
    'stop',
    {
      conversationId: run.conversationId,
      messages: run.messages,
      responseContent,
      ...(stopReason === null ? {} : { stopReason }),
      decision: 'stop',
    },
    'classic',
  );
  if (context['decision'] !== 'continue' || !takeContinuation(run)) return true;
  run.messages = readMessages(context['messages']);
  return false;
}

/** The stop of the current dialect: told once, last of all, however the turn ended. */
async function tellOfEnd(run: Run, { exitReason, error }: End): Promise<void> {
  if (!hasStop(run, 'current')) return;
  // Who gave the turn up is told of its end as well.
  const told = { ...run, signal: new AbortController().signal };
  await runHooks(
    told,
    'stop',
    {
      conversationId: run.conversationId,
      messages: run.messages,
      exitReason,
      ...(error === undefined ? {} : { error }),
    },
    'current',
  );
}

function hasStop({ engine }: Run, dialect: 'classic' | 'current'): boolean {
  return engine.hooks.list('stop').some((owner) => owner.dialect === dialect);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The turn failed.';
}
