import { BulkheadError } from '../errors.js';

/** A plugin's text, cut to a length. The code that prints it escapes control characters. */
export function cutText(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}

/** A plugin's text inside a message of ours: quoted and cut to 200 characters. */
export function quoteText(text: string): string {
  return JSON.stringify(cutText(text, 200));
}

/** The error for a tool that cannot be used: its plugin, its file, and why. */
export function invalidTool(
  plugin: string,
  file: string,
  toolId: string | undefined,
  why: string,
): BulkheadError {
  const which = toolId === undefined ? 'A tool' : `The tool ${quoteText(toolId)}`;
  return new BulkheadError('INVALID_TOOL', `${which} of ${plugin} (${file}) ${why}.`, { plugin });
}
