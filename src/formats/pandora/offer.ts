import { isBulkheadError } from '../../errors.js';
import type { Offer, RefusedTool, ToolDefinition } from '../../plugin/tool.js';
import { isObject } from '../../schema/shape.js';
import type { OfferContext } from '../format.js';
import { readAlerts } from './alerts.js';
import { cutText, quoteText } from './text.js';
import { refuseTool, readTool, readToolId, type ToolContext } from './tool.js';

/**
 * Reads what a guest answered when it was asked what its entry offers:
 *
 * ```
 *   { tools:    [{ tool: {…} } | { problem: text }, …],
 *     resolved: null | { error: text } | { tools: as above, alerts: [{ level, message }] } }
 * ```
 *
 * None of it is believed. Whatever is there, this answers an offer and does not throw; a tool that
 * cannot be read is refused alone, and a `resolveTools` that failed leaves the static tools.
 */
export function readOffer(answer: unknown, context: OfferContext): Offer {
  const problems: string[] = [];
  const report = (problem: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push(cutText(problem, MAX_PROBLEM));
  };
  const tools = new Map<string, ToolDefinition>();
  const refused: RefusedTool[] = [];
  const read = (list: unknown, origin: ToolDefinition['origin']): void => {
    readList(list, { ...contextOf(context), origin, report }, tools, refused);
  };

  const { tools: statics, resolved } = isObject(answer) ? answer : {};
  read(statics, 'static');
  if (!isObject(resolved)) return { tools: [...tools.values()], refused, alerts: [], problems };
  if (typeof resolved['error'] === 'string') {
    report(`resolveTools failed: ${quoteText(resolved['error'])}`);
  }
  read(resolved['tools'], 'resolved');
  const alerts = readAlerts(resolved['alerts'], report);
  return { tools: [...tools.values()], refused, alerts, problems };
}

/** Tools of one entry. Each costs every model that it is shown to. */
const MAX_TOOLS = 1_000;
const MAX_PROBLEMS = 50;
const MAX_PROBLEM = 500;

function contextOf({
  plugin,
  entry,
  maxTimeoutMs,
}: OfferContext): Omit<ToolContext, 'origin' | 'report'> {
  return { pluginId: plugin.id, entry, maxTimeoutMs };
}

function readList(
  list: unknown,
  context: ToolContext,
  tools: Map<string, ToolDefinition>,
  refused: RefusedTool[],
): void {
  if (!Array.isArray(list)) return;
  if (list.length > MAX_TOOLS) context.report(`tools: those after ${MAX_TOOLS} are left out`);
  for (const item of list.slice(0, MAX_TOOLS)) {
    let toolId: string | undefined;
    try {
      const fields = readFields(item, context);
      toolId = readToolId(fields, context);
      // The guest runs the later of two, so it is the one to be known, and to be refused.
      if (tools.delete(toolId)) {
        context.report(`tool ${quoteText(toolId)}: is there twice; the later counts`);
      }
      tools.set(toolId, readTool(fields, toolId, context));
    } catch (error) {
      if (!isBulkheadError(error)) throw error;
      refused.push({ toolId, code: error.code, message: error.message });
    }
  }
}

function readFields(item: unknown, context: ToolContext): Readonly<Record<string, unknown>> {
  const { tool, problem } = isObject(item) ? item : {};
  if (isObject(tool)) return tool;
  const why =
    typeof problem === 'string' ? `cannot be read: ${quoteText(problem)}` : 'is no object';
  throw refuseTool(context, undefined, why);
}
