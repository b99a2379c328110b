import type { Engine } from '../engine/engine-api.js';
import type { CallResult } from '../engine/types/result.js';
import type { CallOptions } from '../engine/types/options.js';
import type { MediaBlock } from '../plugin/answer.js';
import { messageOf } from '../errors.js';

/** The part of a call's result that a model sees. */
export type ModelResult = Pick<CallResult, 'content' | 'files' | 'isError' | 'structured' | 'code'>;

/** Runs a call for a model. An error of the engine becomes a result that the model can read. */
export async function callForModel(
  engine: Pick<Engine, 'call'>,
  name: string,
  input: unknown,
  options: CallOptions,
): Promise<ModelResult> {
  try {
    return await engine.call(name, input, options);
  } catch (error) {
    return errorResult(messageOf(error));
  }
}

export function errorResult(text: string): ModelResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

/** The text in place of a block that a model cannot receive. */
export function labelOf({ type, mimeType }: MediaBlock): string {
  return `[${type}: ${mimeType}]`;
}

/** A result as one text, with a label in place of each block that is not text. */
export function textOfResult({ content, files = [] }: ModelResult): string {
  return [
    ...content.map((block) => (block.type === 'text' ? block.text : labelOf(block))),
    ...files,
  ].join('\n');
}

/** Throws a failed result, for frameworks whose tools fail by throwing. */
export function throwFailure(result: ModelResult): ModelResult {
  if (result.isError) throw new Error(textOfResult(result));
  return result;
}
