import type { JsonObject } from '../../sandbox/wire/messages.js';
import { isRecord } from '../../sandbox/wire/parse.js';
import type { CallResult } from '../engine/call/result.js';
import { isBulkheadError } from '../errors.js';
import { textOf } from '../plugin/answer.js';
import { type Block, textBlock, type ToolUseBlock } from './message.js';
import { type Run, runHooks } from './run.js';

/** What the tool calls of one reply came to. */
export interface ToolsOutcome {
  /** The blocks that answer them, in their order, each with what hooks want said beside it. */
  readonly content: readonly Block[];
  /** A tool wants the user to speak next. */
  readonly yields: boolean;
}

/** Runs the tool calls of a reply: side by side, but for those that have to run alone. */
export async function runTools(run: Run, uses: readonly ToolUseBlock[]): Promise<ToolsOutcome> {
  const results = new Map<ToolUseBlock, CallOutcome>();
  const alone = uses.filter(({ name }) => run.engine.catalog.find(name)?.exclusive === true);
  const together = uses.filter((use) => !alone.includes(use));
  await Promise.all(together.map(async (use) => results.set(use, await callTool(run, use))));
  for (const use of alone) results.set(use, await callTool(run, use));

  const content: Block[] = [];
  let yields = false;
  for (const use of uses) {
    const outcome = results.get(use) ?? NOT_RUN;
    yields ||= outcome.yields;
    // One after the other: a hook sees the results in the order in which the model will.
    content.push(...(await offerToHooks(run, use, outcome)));
  }
  return { content, yields };
}

interface CallOutcome {
  readonly text: string;
  readonly isError: boolean;
  readonly blocks: readonly Block[];
  readonly yields: boolean;
}

const NOT_RUN: CallOutcome = {
  text: 'The turn was stopped before this tool was run.',
  isError: true,
  blocks: [],
  yields: false,
};

async function callTool(run: Run, use: ToolUseBlock): Promise<CallOutcome> {
  if (run.signal.aborted) return NOT_RUN;
  const { id, name } = use;
  const input: JsonObject = isRecord(use['input']) ? use.input : {};
  run.tell({ type: 'tool-call', id, tool: name, input });
  const outcome = await answerOf(run, use, input);
  const { text, isError } = outcome;
  run.tell({ type: 'tool-result', id, tool: name, isError, text });
  return outcome;
}

async function answerOf(
  { engine, input: turn, options, conversationId, requestId, signal, tell }: Run,
  { id, name }: ToolUseBlock,
  input: JsonObject,
): Promise<CallOutcome> {
  const { tenant, policy, unattended } = turn;
  try {
    const result = await engine.call(name, input, {
      signal,
      ...(tenant === undefined ? {} : { tenant }),
      ...(policy === undefined ? {} : { policy }),
      ...(unattended === undefined ? {} : { unattended }),
      context: {
        conversationId,
        requestId,
        workingDir: options.workingDir,
        isInteractive: turn.isInteractive ?? true,
        ...(options.assistantId === undefined ? {} : { assistantId: options.assistantId }),
      },
      onOutput: (chunk) => tell({ type: 'tool-output', id, chunk }),
    });
    return outcomeOf(result);
  } catch (error) {
    // A tool that is not there is the model's mistake, and for it to mend.
    if (isBulkheadError(error)) return { ...NOT_RUN, text: error.message };
    throw error;
  }
}

function outcomeOf({ content, isError, yieldToUser }: CallResult): CallOutcome {
  return {
    text: textOf(content),
    isError,
    blocks: content.flatMap(({ type, ...block }): Block[] =>
      'data' in block && type === 'image'
        ? [{ type, source: { type: 'base64', media_type: block.mimeType, data: block.data } }]
        : [],
    ),
    yields: yieldToUser === true,
  };
}

/** Characters of a result that a model is shown: a quarter of its window. */
const CHARACTERS_PER_WINDOW_TOKEN = 1;

async function offerToHooks(
  run: Run,
  { id }: ToolUseBlock,
  { text, isError, blocks }: CallOutcome,
): Promise<Block[]> {
  const { maxInputTokens } = run.options;
  const block: Block = {
    type: 'tool_result',
    tool_use_id: id,
    content: cut(text, maxInputTokens * CHARACTERS_PER_WINDOW_TOKEN),
    is_error: isError,
    ...(blocks.length === 0 ? {} : { contentBlocks: blocks }),
  };
  const context = await runHooks(run, 'post-tool-use', {
    conversationId: run.conversationId,
    toolResponse: block,
    messages: run.messages,
    callSite: 'mainAgent',
    maxInputTokens,
  });
  const response = context['toolResponse'];
  const guidance = context['additionalContext'];
  // The id is the host's: a result that went to another call would leave this one without.
  const answered: Block =
    isRecord(response) && response['type'] === 'tool_result'
      ? { ...response, type: 'tool_result', tool_use_id: id }
      : block;
  return typeof guidance === 'string' && guidance !== ''
    ? [answered, textBlock(guidance)]
    : [answered];
}

function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters)}\n[truncated: ${text.length - maxCharacters} more characters]`;
}
