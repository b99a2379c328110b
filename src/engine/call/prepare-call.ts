import { randomFillSync } from 'node:crypto';
import type { Json } from '../../../sandbox/wire/messages.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import { BulkheadError } from '../../errors.js';
import { violationOf } from '../../remotes/check-input.js';
import type { CallSpec } from './call.js';
import { withGuestPaths } from './working-directory.js';

export type CallPlan = Pick<CallSpec, 'callId' | 'tool' | 'place' | 'options'> & {
  readonly input: unknown;
  readonly limits: { readonly maxInputBytes: number };
};

/**
 * Converts a call's input and context to the form that the tool's format expects. The input is
 * serialized once. Throws `INVALID_OPTIONS`, `INVALID_INPUT`.
 */
export function prepareCall({
  callId,
  tool,
  place,
  input,
  options,
  limits: { maxInputBytes },
}: CallPlan): Pick<CallSpec, 'givenText' | 'inputText' | 'context' | 'contextText'> {
  const { format } = place;
  const context =
    'instance' in place && options.context !== undefined
      ? withGuestPaths(options.context, place.instance.grant.permissions.fs)
      : options.context;
  const inputText = inputTextOf(tool, input, maxInputBytes);
  if (format === undefined) {
    if ('remote' in place && place.isHosts !== true) requireValid(tool, inputText);
    return { givenText: inputText, inputText };
  }
  const contextText = context === undefined ? undefined : jsonTextOf(tool, 'context', context);
  if (format.prepareCall === undefined) return { givenText: inputText, inputText, contextText };
  const copy: Json = JSON.parse(inputText);
  const prepared = format.prepareCall({
    callId,
    inputSchema: tool.inputSchema,
    input: copy,
    context,
  });
  return {
    givenText: inputText,
    inputText: JSON.stringify(prepared.input),
    context: prepared.context,
  };
}

/**
 * Checks the input of a remote tool against its pinned schema, before anyone is asked to approve it. The
 * server receives exactly this input. Throws `INVALID_INPUT`.
 */
function requireValid(tool: CatalogTool, inputText: string): void {
  const input: Json = JSON.parse(inputText);
  const violation = violationOf(tool.inputSchema, input);
  // guard: remote-input-validated
  if (violation === undefined) return;
  throw new BulkheadError(
    'INVALID_INPUT',
    `The input of ${tool.id} does not match its schema: ${violation}. Correct the input.`,
    { tool: tool.id },
  );
}

/** Throws `INVALID_OPTIONS`, `INVALID_INPUT`. */
function inputTextOf(tool: CatalogTool, input: unknown, maxInputBytes: number): string {
  const text = jsonTextOf(tool, 'input', input ?? {});
  // guard: input-byte-cap
  if (byteLength(text, maxInputBytes) > maxInputBytes) {
    throw new BulkheadError(
      'INVALID_INPUT',
      `The input of ${tool.id} is larger than ${maxInputBytes} bytes. Raise limits.maxInputBytes to allow it.`,
      { tool: tool.id },
    );
  }
  return text;
}

/** Throws `INVALID_OPTIONS` before the call starts. Later, no caller could catch the error. */
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

/** Exact only near the limit: a UTF-16 code unit takes at most 3 bytes in UTF-8. */
function byteLength(text: string, limit: number): number {
  // guard: input-bytes-counted
  return text.length * 3 <= limit ? text.length : new TextEncoder().encode(text).byteLength;
}

const ID_BYTES = 16;
const pool = Buffer.allocUnsafe(128 * ID_BYTES);
let used = pool.length;

/** Returns an unguessable call id. Random bytes are fetched for 128 ids at once. */
export function makeCallId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const id = `call_${pool.toString('hex', used, used + ID_BYTES)}`;
  used += ID_BYTES;
  return id;
}
