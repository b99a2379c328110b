import { BulkheadError } from '../errors.js';
import { quoteText } from './pandora/text.js';

/** The error for a tool that cannot be offered: of which plugin, in which of its files, and why. */
export function invalidTool(
  plugin: string,
  file: string,
  toolId: string | undefined,
  why: string,
): BulkheadError {
  const which = toolId === undefined ? 'A tool' : `The tool ${quoteText(toolId)}`;
  return new BulkheadError('INVALID_TOOL', `${which} of ${plugin} (${file}) ${why}.`, { plugin });
}
