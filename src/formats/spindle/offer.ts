import { isBulkheadError } from '../../errors.js';
import type { Offer, RefusedTool, ToolDefinition } from '../../plugin/tool.js';
import { isObject } from '../../schema/shape.js';
import type { OfferContext } from '../format.js';
import { cutText, quoteText } from '../pandora/text.js';
import { readRegistrations } from './registrations.js';
import { refuseTool, readTool, readToolName } from './tool.js';

/**
 * Reads what a guest answered when it was asked which tools are registered:
 *
 * ```
 *   { tools: [{ tool: {…} } | { problem: text }, …], registered: { events, hooks, macros, … } }
 * ```
 *
 * None of it is believed. A tool that cannot be read is refused alone; of two with one name the
 * later counts, as registering again replaces.
 */
export function readOffer(answer: unknown, context: OfferContext): Offer {
  const problems: string[] = [];
  const report = (problem: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push(cutText(problem, MAX_PROBLEM));
  };
  const tools = new Map<string, ToolDefinition>();
  const refused: RefusedTool[] = [];
  const list: unknown = isObject(answer) ? answer['tools'] : undefined;
  // Whatever a guest says: without the permission there are no tools.
  const mayHave = context.granted.powers.includes('tools');
  const items: readonly unknown[] = mayHave && Array.isArray(list) ? list : [];
  if (items.length > MAX_TOOLS) report(`tools: those after ${MAX_TOOLS} are left out`);
  for (const item of items.slice(0, MAX_TOOLS)) {
    let toolId: string | undefined;
    try {
      const fields = readFields(item, context);
      toolId = readToolName(fields, context);
      tools.delete(toolId);
      tools.set(toolId, readTool(fields, toolId, context, report));
    } catch (error) {
      if (!isBulkheadError(error)) throw error;
      refused.push({ toolId, code: error.code, message: error.message });
    }
  }
  const registrations = readRegistrations(isObject(answer) ? answer['registered'] : undefined);
  return { tools: [...tools.values()], refused, alerts: [], problems, registrations };
}

/** Tools of one extension. Each costs every model that it is shown to. */
const MAX_TOOLS = 1_000;
const MAX_PROBLEMS = 50;
const MAX_PROBLEM = 500;

function readFields(item: unknown, context: OfferContext): Readonly<Record<string, unknown>> {
  const { tool, problem } = isObject(item) ? item : {};
  if (isObject(tool)) return tool;
  const why =
    typeof problem === 'string' ? `cannot be read: ${quoteText(problem)}` : 'is no object';
  throw refuseTool(context, undefined, why);
}
