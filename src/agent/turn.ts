import { fitContext } from './compaction.js';
import { isToolUse, type Message, readMessages, textBlock, textOfBlocks } from './message.js';
import type { ExitReason, TurnResult } from './options.js';
import { assistantMessage, callModel, useContinuation } from './reply.js';
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
 * However the turn ends, the next turn can continue its messages: every tool call has its result.
 */
export async function runTurn(run: Run): Promise<TurnResult> {
  await submitPrompt(run);
  let iterations = 0;
  const end = await loop(run, () => (iterations += 1)).catch((error: unknown): End => {
    if (run.signal.aborted) return { exitReason: 'aborted_via_error' };
    return { exitReason: 'error', error: { message: messageOf(error) } };
  });
  await runStopHooks(run, end);
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
  const prompt: Message = { role: 'user', content };
  const messages = [...run.messages, prompt];
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
  let calls = 0;
  for (;;) {
    if (run.signal.aborted) return { exitReason: 'aborted_pre_call' };
    if (!(await fitContext(run))) return { exitReason: 'context_too_large' };
    if (calls >= run.options.maxIterations) return { exitReason: 'budget_yield_unrecovered' };
    calls = count();
    const { content, stopReason, brokenCalls, error, callAgain } = await callModel(run);
    if (content.length > 0) {
      const message = assistantMessage(content);
      run.messages = [...run.messages, message];
      run.emit({ type: 'reply', message });
    }
    const uses = content.filter(isToolUse);
    if (run.signal.aborted) {
      await addMissingResults(run);
      return { exitReason: 'aborted_post_response' };
    }
    if (callAgain) continue;
    if (error !== undefined) return { exitReason: 'error', error };
    if (stopReason === 'max_tokens') return { exitReason: 'max_tokens_reached' };
    if (uses.length === 0) {
      if (await mayStop(run, content, stopReason)) return { exitReason: 'no_tool_calls' };
      continue;
    }
    const { content: results, yields } = await runTools(run, uses, brokenCalls);
    run.messages = [...run.messages, { role: 'user', content: results }];
    if (run.signal.aborted) return { exitReason: 'aborted_during_tools' };
    if (yields) return { exitReason: 'yield_to_user' };
  }
}

/** Adds a result for each tool call of the last reply. The turn is aborted, so no tool runs. */
async function addMissingResults(run: Run): Promise<void> {
  const uses = run.messages.at(-1)?.content.filter(isToolUse) ?? [];
  if (uses.length === 0) return;
  const { content } = await runTools(run, uses);
  run.messages = [...run.messages, { role: 'user', content }];
}

/** The `stop` hook with classic semantics: it may add messages and continue the turn. */
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
  if (context['decision'] !== 'continue' || !useContinuation(run)) return true;
  run.messages = readMessages(context['messages']);
  return false;
}

/** The `stop` hook with current semantics: it runs once, at the end of every turn. */
async function runStopHooks(run: Run, { exitReason, error }: End): Promise<void> {
  if (!hasStop(run, 'current')) return;
  // It also runs after the turn was aborted.
  const unaborted = { ...run, signal: new AbortController().signal };
  await runHooks(
    unaborted,
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

function hasStop({ engine }: Run, semantics: 'classic' | 'current'): boolean {
  return engine.hooks.list('stop').some((owner) => owner.semantics === semantics);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The turn failed.';
}
