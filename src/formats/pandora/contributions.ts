import { isBulkheadError } from '../../errors.js';
import { modelText } from '../../model-text.js';
import {
  type AgentDefinition,
  type Contributions,
  isToolName,
  type PluginAlert,
  type RefusedTool,
  type ToolDefinition,
} from '../../plugin/tool.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { ContributionContext } from '../format.js';
import { cutText, quoteText } from '../quote.js';
import { hasProblem, withinCap } from '../tool-list.js';
import { readTool, readToolId, refuseTool, type ToolContext } from './tool.js';

/**
 * Reads a guest's answer to the request for its entry's contributions:
 *
 * ```
 *   { tools:    [{ tool: {…} } | { problem: text, id?: text }, …],
 *     resolved: null | { error: text } | { tools: as above, alerts: [{ level, message }] } }
 * ```
 *
 * The answer is not trusted. This never throws: a tool that cannot be read is refused alone, and a
 * failed `resolveTools` leaves the static tools.
 */
export function readContributions(answer: unknown, context: ContributionContext): Contributions {
  const problems: string[] = [];
  const report = (problem: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push(cutText(problem, MAX_PROBLEM));
  };
  const tools = new Map<string, ToolDefinition>();
  const refused: RefusedTool[] = [];
  const read = (list: unknown, origin: ToolDefinition['origin']): void => {
    readList(list, { ...contextOf(context), origin, report }, tools, refused);
  };

  const { tools: statics, resolved, agent: exported, exports } = isRecord(answer) ? answer : {};
  if (context.entry.surface === 'agents') {
    const agent = readAgent(exported, report);
    const none = { tools: [], refused: [], alerts: [], problems };
    return agent === undefined ? none : { ...none, agent };
  }
  reportExports(exports, context.entry.file, report);
  read(statics, 'static');
  if (!isRecord(resolved)) return { tools: [...tools.values()], refused, alerts: [], problems };
  if (typeof resolved['error'] === 'string') {
    report(`resolveTools failed: ${quoteText(resolved['error'])}`);
  }
  read(resolved['tools'], 'resolved');
  const alerts = readAlerts(resolved['alerts'], report);
  return { tools: [...tools.values()], refused, alerts, problems };
}

/** Why an entry has no tools: it exports none, or `tools` is not a list. */
function reportExports(exports: unknown, file: string, report: (problem: string) => void): void {
  if (!isRecord(exports)) return;
  const { names, tools } = exports;
  const listed: readonly unknown[] = Array.isArray(names) ? names : [];
  const shown = listed.filter((name) => typeof name === 'string').map(quoteText);
  if (tools !== 'undefined') {
    report(`${file}: "tools" is not a list. Write: export const tools = [ … ]`);
  } else if (shown.length === 0) {
    report(`${file}: exports nothing. Write: export const tools = [ … ]`);
  } else {
    report(`${file}: exports ${shown.join(', ')}, no "tools". Write: export const tools = [ … ]`);
  }
}

/** Characters of an agent's texts. Its instructions are part of every call of the model. */
const MAX_AGENT_TEXT = 1_000;
const MAX_INSTRUCTIONS = 64 * 1024;

function readAgent(
  exported: unknown,
  report: (problem: string) => void,
): AgentDefinition | undefined {
  const { id, name, description, instructions } = isRecord(exported) ? exported : {};
  if (
    typeof id !== 'string' ||
    typeof name !== 'string' ||
    typeof description !== 'string' ||
    typeof instructions !== 'string'
  ) {
    report(
      'agent: its entry must export an object "agent" with id, name, description and instructions',
    );
    return undefined;
  }
  if (!/^[^:\s]{1,64}$/u.test(id)) {
    report(`agent ${quoteText(id)}: its id must have 1 to 64 characters, without a colon`);
    return undefined;
  }
  // guard: agent-instructions-cap
  if (instructions.length > MAX_INSTRUCTIONS) {
    report(
      `agent ${quoteText(id)}: its instructions have more than ${MAX_INSTRUCTIONS} characters`,
    );
    return undefined;
  }
  return {
    agentId: id,
    name: modelText(cutText(name, MAX_AGENT_TEXT)),
    description: modelText(cutText(description, MAX_AGENT_TEXT)),
    // guard: agent-instructions-escaped
    instructions: modelText(instructions),
  };
}

const MAX_PROBLEMS = 50;
const MAX_PROBLEM = 500;

function contextOf({
  plugin,
  entry,
  maxTimeoutMs,
}: ContributionContext): Omit<ToolContext, 'origin' | 'report'> {
  return { pluginId: plugin.id, entry, maxTimeoutMs };
}

function readList(
  list: unknown,
  context: ToolContext,
  tools: Map<string, ToolDefinition>,
  refused: RefusedTool[],
): void {
  if (!Array.isArray(list)) return;
  for (const item of withinCap(list, context.report)) {
    let toolId: string | undefined;
    try {
      if (hasProblem(item) && isToolName(item['id'])) toolId = item['id'];
      const fields = readFields(item, context);
      toolId = readToolId(fields, context);
      // The guest runs the later of two tools with one id, so the later counts, even if it is
      // refused.
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
  const { tool, problem, id } = isRecord(item) ? item : {};
  if (isRecord(tool)) return tool;
  const why =
    typeof problem === 'string' ? `cannot be read: ${quoteText(problem)}` : 'is not an object';
  throw refuseTool(context, isToolName(id) ? id : undefined, why);
}

const MAX_ALERTS = 20;
const MAX_MESSAGE = 500;

/** Reads the messages of `resolveTools` to its operator. */
export function readAlerts(
  value: unknown,
  report: (problem: string) => void,
): readonly PluginAlert[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    report('alerts: must be a list');
    return [];
  }
  if (value.length > MAX_ALERTS) report(`alerts: those after ${MAX_ALERTS} are left out`);
  return value.slice(0, MAX_ALERTS).flatMap((alert: unknown, index) => {
    if (!isRecord(alert) || typeof alert['message'] !== 'string') {
      report(`alerts[${index}]: must have a level and a message`);
      return [];
    }
    const { level } = alert;
    if (level !== 'info' && level !== 'warning') {
      report(`alerts[${index}].level: must be "info" or "warning"; it counts as a warning`);
    }
    const message = cutText(alert['message'], MAX_MESSAGE);
    return [{ level: level === 'info' ? 'info' : 'warning', message } as const];
  });
}
