import { BulkheadError } from '../errors.js';
import {
  type Block,
  isToolUse,
  type Message,
  readMessages,
  textBlock,
  textOfBlocks,
} from './message.js';
import type { ModelRequest } from './model.js';
import { type Run, runHooks, waitForModel } from './run.js';

/** The share of the model's window above which a conversation is compacted. */
const FULL = 0.85;

/** Messages at the end that compaction does not change, at most. */
const MAX_TAIL = 6;

/** An estimate on the small side, so that token counts err on the large side. */
const CHARACTERS_PER_TOKEN = 3.5;

/**
 * Compacts a conversation that does not fit the model's window, and lets hooks restore what must not
 * be lost. Returns whether the conversation fits.
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
  run.emit({ type: 'compacted', before, after });
  return after <= maxInputTokens;
}

function estimateTokens(messages: readonly Message[]): number {
  return Math.ceil(JSON.stringify(messages).length / CHARACTERS_PER_TOKEN);
}

async function compact(run: Run): Promise<readonly Message[]> {
  const { options, messages } = run;
  const { compact: custom } = options;
  if (custom !== undefined) return waitForModel(run, async (signal) => custom(messages, signal));
  const cut = findCut(messages);
  if (cut === 0) return messages;
  const summary = await summarise(run, messages.slice(0, cut));
  return [{ role: 'user', content: [textBlock(summary)] }, ...messages.slice(cut)];
}

/** The index of the first message of the tail: the user's own, so that no result loses its call. */
function findCut(messages: readonly Message[]): number {
  for (let at = Math.max(0, messages.length - MAX_TAIL); at < messages.length; at += 1) {
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
  // Half of the window is left for the instruction and the summary.
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
  const summary = textOfBlocks(content);
  if (summary === '') {
    throw new BulkheadError(
      'MODEL_FAILED',
      'The conversation is too long for the model, and the model returned an empty summary of it.',
      {},
    );
  }
  return `Summary of the conversation so far:\n${summary}`;
}

/** Inputs of tool calls are often the largest part of a conversation. */
function withoutInputs({ role, content }: Message): object {
  return {
    role,
    content: content.map((block) =>
      isToolUse(block) ? { type: 'tool_use', name: block.name } : block,
    ),
  };
}
