import type { JsonObject } from '../../sandbox/wire/messages.js';
import { isJsonObject, isRecord } from '../../sandbox/wire/json.js';
import type { CallResult } from '../engine/types/result.js';
import { isBulkheadError } from '../errors.js';
import { textOf } from '../plugin/answer.js';
import { type Block, textBlock, type ToolUseBlock } from './message.js';
import { type Run, runHooks } from './run.js';

/** The results of the tool calls of one reply. */
export interface ToolsOutcome {
  /** A result for each call, in the order of the calls, each with the text that hooks added. */
  readonly content: readonly Block[];
  /** Whether a tool ended the turn so that the user replies next. */
  readonly yields: boolean;
}

/** Runs the tool calls of a reply concurrently, except for exclusive tools, which run one by one. */
export async function runTools(
  run: Run,
  uses: readonly ToolUseBlock[],
  brokenCalls: ReadonlyMap<string, string> = new Map(),
): Promise<ToolsOutcome> {
  const results = new Map<ToolUseBlock, CallOutcome>();
  const call = async (use: ToolUseBlock): Promise<void> => {
    results.set(use, await callTool(run, use, brokenCalls.get(use.id)));
  };
  const exclusive = uses.filter(({ name }) => run.engine.catalog.find(name)?.exclusive === true);
  const concurrent = uses.filter((use) => !exclusive.includes(use));
  await Promise.all(concurrent.map(call));
  for (const use of exclusive) await call(use);

  const content: Block[] = [];
  let yields = false;
  for (const use of uses) {
    const outcome = results.get(use) ?? NOT_RUN;
    yields ||= outcome.yields;
    // One by one: hooks see the results in the same order as the model.
    content.push(...(await runResultHooks(run, use, outcome)));
  }
  return { content, yields };
}

interface CallOutcome {
  readonly text: string;
  readonly isError: boolean;
  readonly blocks: readonly Block[];
  readonly yields: boolean;
}

const NO_OBJECT =
  'This tool call did not run, because its input is not a JSON object. Send the call again, with an object.';

const NOT_RUN: CallOutcome = {
  text: 'The turn ended before this tool ran.',
  isError: true,
  blocks: [],
  yields: false,
};

async function callTool(
  run: Run,
  use: ToolUseBlock,
  broken: string | undefined,
): Promise<CallOutcome> {
  if (run.signal.aborted) return NOT_RUN;
  const { id, name } = use;
  // A host's own model, or a hook, may have sent anything.
  const input: unknown = use['input'];
  const why = broken ?? (isRecord(input) ? undefined : NO_OBJECT);
  run.emit({ type: 'tool-call', id, tool: name, input: isRecord(input) ? input : {} });
  const outcome =
    // guard: broken-tool-call-answered
    why === undefined && isJsonObject(input)
      ? await runTool(run, use, input)
      : { ...NOT_RUN, text: why ?? NO_OBJECT };
  const { text, isError } = outcome;
  run.emit({ type: 'tool-result', id, tool: name, isError, text });
  return outcome;
}

async function runTool(
  { engine, input: turn, options, conversationId, requestId, signal, emit }: Run,
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
        ...(options.workingDir === undefined ? {} : { workingDir: options.workingDir }),
        isInteractive: turn.isInteractive ?? true,
        ...(options.assistantId === undefined ? {} : { assistantId: options.assistantId }),
      },
      onOutput: (chunk) => emit({ type: 'tool-output', id, chunk }),
    });
    return outcomeOf(result);
  } catch (error) {
    // For example, a tool that does not exist: the model can correct its mistake.
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

/** Characters of a result for each token of the model's window: about a quarter of the window. */
const CHARACTERS_PER_WINDOW_TOKEN = 1;

async function runResultHooks(
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
  // The id stays the host's. Otherwise a hook could move the result to another call.
  const result: Block =
    isRecord(response) && response['type'] === 'tool_result'
      ? { ...response, type: 'tool_result', tool_use_id: id }
      : block;
  return typeof guidance === 'string' && guidance !== '' ? [result, textBlock(guidance)] : [result];
}

function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters)}\n[truncated: ${text.length - maxCharacters} more characters]`;
}
