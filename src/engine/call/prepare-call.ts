import type { Json } from '../../../sandbox/wire/messages.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import { BulkheadError } from '../../errors.js';
import type { CallSpec } from './call.js';

export type CallPlan = Pick<CallSpec, 'callId' | 'tool' | 'place' | 'options'> & {
  readonly input: unknown;
  readonly limits: { readonly maxInputBytes: number };
};

/**
 * What crosses for a call: its input as text that is made once, and what the host says besides, each
 * as the tool's system has it. Throws `INVALID_OPTIONS`, `INVALID_INPUT`.
 */
export function prepareCall({
  callId,
  tool,
  place: { format },
  input,
  options: { context },
  limits: { maxInputBytes },
}: CallPlan): Pick<CallSpec, 'inputText' | 'context' | 'contextText'> {
  const inputText = inputTextOf(tool, input, maxInputBytes);
  if (format === undefined) return { inputText };
  const contextText = context === undefined ? undefined : jsonTextOf(tool, 'context', context);
  if (format.prepareCall === undefined) return { inputText, contextText };
  const copy: Json = JSON.parse(inputText);
  const prepared = format.prepareCall({
    callId,
    inputSchema: tool.inputSchema,
    input: copy,
    context,
  });
  return {
    inputText: JSON.stringify(prepared.input),
    context: prepared.context,
  };
}

/** The input as the text that crosses, made once. Throws `INVALID_OPTIONS`, `INVALID_INPUT`. */
function inputTextOf(tool: CatalogTool, input: unknown, maxInputBytes: number): string {
  const text = jsonTextOf(tool, 'input', input ?? {});
  if (byteLength(text, maxInputBytes) > maxInputBytes) {
    throw new BulkheadError(
      'INVALID_INPUT',
      `The input of ${tool.id} is larger than ${maxInputBytes} bytes. Raise limits.maxInputBytes to allow it.`,
      { tool: tool.id },
    );
  }
  return text;
}

/** Throws here, where its caller hears of it: once the call is under way there is nobody to tell. */
function jsonTextOf(tool: CatalogTool, option: 'context' | 'input', value: unknown): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value) as string | undefined;
  } catch (error) {
    cause = error;
  }
  if (text !== undefined) return text;
  throw new BulkheadError(
    'INVALID_OPTIONS',
    `The ${option} of ${tool.id} is not JSON.`,
    { option },
    { cause },
  );
}

/** Exact only where it can matter: a text of few characters is of few bytes. */
function byteLength(text: string, limit: number): number {
  return text.length * 3 <= limit ? text.length : new TextEncoder().encode(text).byteLength;
}
