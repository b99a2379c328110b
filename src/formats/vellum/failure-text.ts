import type { ToolFault } from '../format.js';

/** Names of errors that are themselves an answer: only what they say is told. */
const ANSWERS: ReadonlySet<string> = new Set([
  'AbortError',
  'PermissionDeniedError',
  'ThrownValue',
  'ToolError',
]);

/** What a model is told of a failed call, in Vellum's words. */
export function wordFault({ tool, code, name, message, deadlineMs }: ToolFault): string {
  if (code === 'DEADLINE_EXCEEDED') {
    // The original goes on to say that the tool may run on: here it does not.
    return `Tool "${tool}" timed out after ${(deadlineMs ?? 0) / 1000}s. It was stopped. Consider increasing limits.timeoutMs of the engine.`;
  }
  if (code !== 'TOOL_FAILED' || name === undefined || ANSWERS.has(name)) return message;
  return `Tool "${tool}" encountered an unexpected error: ${message}`;
}
