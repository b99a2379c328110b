import { BulkheadError } from '../errors.js';
import { type Block, isToolUse, type Message, readMessages, textBlock } from './message.js';
import type { ModelRequest } from './model.js';
import { waitForModel } from './patience.js';
import { type Run, runHooks } from './run.js';

/** A conversation is compacted where it takes more of the model's window than this. */
const FULL = 0.85;

/** Messages at the end that stay as they are. */
const KEPT = 6;

/** Characters in a token, about. Exact counts are the provider's; this errs on the large side. */
const CHARACTERS_PER_TOKEN = 3.5;

/**
 * The context check: leaves a conversation that fits, or compacts it and lets hooks put back what
 * must not be lost. Answers whether it fits now.
 */
export async function fitContext(run: Run): Promise<boolean> {
  const { maxInputTokens } = run.options;
  const before = estimateTokens(run.messages);
  if (before <= maxInputTokens * FULL) return true;
  const compacted = await compact(run);
  const context = await runHooks(run, 'post-compact', {
    conversationId: run.conversationId,
    requestId: run.requestId,
    isNonInteractive: run.input.isInteractive === false,
    modelProfileKey: run.input.modelProfile ?? null,
    history: compacted,
  });
  run.messages = readMessages(context['history']);
  const after = estimateTokens(run.messages);
  run.tell({ type: 'compacted', before, after });
  return after <= maxInputTokens;
}

export function estimateTokens(messages: readonly Message[]): number {
  return Math.ceil(JSON.stringify(messages).length / CHARACTERS_PER_TOKEN);
}

async function compact(run: Run): Promise<readonly Message[]> {
  const { options, messages } = run;
  const { compact: own } = options;
  if (own !== undefined) return waitForModel(run, async (signal) => own(messages, signal));
  const cut = findCut(messages);
  if (cut === 0) return messages;
  const summary = await summarise(run, messages.slice(0, cut));
  return [{ role: 'user', content: [textBlock(summary)] }, ...messages.slice(cut)];
}

/** Where the end begins that stays: before a user's own words, so that no result loses its call. */
function findCut(messages: readonly Message[]): number {
  for (let at = Math.max(0, messages.length - KEPT); at < messages.length; at += 1) {
    const message = messages[at];
    if (message?.role === 'user' && !message.content.some(isResult)) return at;
  }
  return 0;
}

function isResult({ type }: Block): boolean {
  return type === 'tool_result';
}

const INSTRUCTION =
  'Sum up the conversation so far for yourself: what the user wants, what was found out and done, what is open. Keep names, numbers and decisions. Answer with the summary alone.';

async function summarise(run: Run, messages: readonly Message[]): Promise<string> {
  // What a model need not see to sum up is what is too large for it: half of the window is left.
  const { maxInputTokens, model } = run.options;
  const text = JSON.stringify(messages.map(withoutInputs)).slice(
    0,
    maxInputTokens * CHARACTERS_PER_TOKEN * 0.5,
  );
  const request: ModelRequest = {
    system: INSTRUCTION,
    messages: [{ role: 'user', content: [textBlock(text)] }],
    tools: [],
  };
  const { content } = await waitForModel(run, async (signal) =>
    model.respond(request, { onText: () => {}, signal }),
  );
  const summary = content.flatMap(({ text: part }) => (typeof part === 'string' ? [part] : []));
  if (summary.length === 0) {
    throw new BulkheadError(
      'MODEL_FAILED',
      'The conversation is too long for the model, and its summary came back empty.',
      {},
    );
  }
  return `Summary of the conversation so far:\n${summary.join('')}`;
}

function withoutInputs({ role, content }: Message): object {
  return {
    role,
    content: content.map((block) =>
      isToolUse(block) ? { type: 'tool_use', name: block.name } : block,
    ),
  };
}
