import { isRecord } from '../../../sandbox/wire/json.js';
import { isBulkheadError, type BulkheadError } from '../../errors.js';
import type { McpOffers } from '../../plugin/mcp-source.js';
import { bandOfHints } from '../../plugin/risk.js';
import {
  type Contributions,
  isToolName,
  type RefusedTool,
  type ToolAnnotations,
  type ToolDefinition,
} from '../../plugin/tool.js';
import { checkSchema } from '../../schema/check.js';
import type { ContributionContext } from '../format.js';
import { cutText, invalidTool, quoteText } from '../quote.js';
import { hasProblem, withinCap } from '../tool-list.js';

/**
 * Reads a guest's answer to the request for its entry's contributions:
 *
 * ```
 *   { server: { serverInfo, capabilities, instructions }, tools: [{ tool: {…} } | { problem, name }, …] }
 * ```
 *
 * The answer is not trusted. A tool that cannot be read is refused alone; of two tools with one name the
 * first counts.
 */
export function readContributions(answer: unknown, context: ContributionContext): Contributions {
  const tools = new Map<string, ToolDefinition>();
  const refused: RefusedTool[] = [];
  const problems: string[] = [];
  const list: unknown = isRecord(answer) ? answer['tools'] : undefined;
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const report = (problem: string): number => problems.push(problem);
  for (const item of withinCap(items, report)) {
    let toolId = hasProblem(item) && isToolName(item['name']) ? item['name'] : undefined;
    try {
      const fields = readFields(item, context);
      toolId = readToolName(fields, context);
      // guard: mcp-tool-name-once
      if (tools.has(toolId))
        throw refuseTool(context, toolId, 'is listed twice; the first one counts');
      tools.set(toolId, readTool(fields, toolId, context));
    } catch (error) {
      if (!isBulkheadError(error)) throw error;
      refused.push({ toolId, code: error.code, message: error.message });
    }
  }
  const offers = readOffers(isRecord(answer) ? answer['server'] : undefined);
  return { tools: [...tools.values()], refused, alerts: [], problems, offers };
}

function readOffers(server: unknown): McpOffers {
  const { capabilities } = isRecord(server) ? server : {};
  const offered = (name: string): unknown =>
    isRecord(capabilities) ? capabilities[name] : undefined;
  const has = (name: string): boolean => isRecord(offered(name));
  const resources = offered('resources');
  return {
    resources: has('resources'),
    subscriptions: isRecord(resources) && resources['subscribe'] === true,
    prompts: has('prompts'),
    completions: has('completions'),
    logging: has('logging'),
  };
}

const MAX_NAME = 200;
const MAX_DESCRIPTION = 16 * 1024;
const MAX_TIMEOUT_MS = 60_000;

type Fields = Readonly<Record<string, unknown>>;

function readFields(item: unknown, context: ContributionContext): Fields {
  const { tool, problem, name } = isRecord(item) ? item : {};
  if (isRecord(tool)) return tool;
  const why =
    typeof problem === 'string' ? `cannot be read: ${quoteText(problem)}` : 'is not an object';
  throw refuseTool(context, isToolName(name) ? name : undefined, why);
}

function readToolName({ name }: Fields, context: ContributionContext): string {
  if (isToolName(name)) return name;
  const shown = typeof name === 'string' ? quoteText(name) : 'that is not a text';
  throw refuseTool(
    context,
    undefined,
    `has the name ${shown}; a name has 1 to 128 characters and no ":"`,
  );
}

function readTool(fields: Fields, toolId: string, context: ContributionContext): ToolDefinition {
  const { plugin, entry, maxTimeoutMs } = context;
  const id = `${plugin.id}:${toolId}`;
  const annotations = readAnnotations(fields['annotations']);
  const { title, description, inputSchema, outputSchema } = fields;
  return {
    id,
    toolId,
    entry: entry.key,
    origin: 'static',
    name:
      typeof title === 'string' && title !== ''
        ? cutText(title, MAX_NAME)
        : (annotations.title ?? toolId),
    description: typeof description === 'string' ? cutText(description, MAX_DESCRIPTION) : '',
    parameters: checkSchema(schemaOfArguments(inputSchema), id),
    ...(outputSchema === undefined ? {} : { outputSchema: checkSchema(outputSchema, id).schema }),
    annotations,
    declaredRisk: bandOfHints(annotations),
    timeoutMs: Math.min(MAX_TIMEOUT_MS, maxTimeoutMs),
    permissions: entry.declared,
  };
}

/**
 * MCP's arguments are always an object, and models refuse a schema that does not say so. Servers whose converter does
 * not know their version of zod send a schema without a type.
 */
function schemaOfArguments(schema: unknown): unknown {
  if (schema === undefined) return { type: 'object', properties: {} };
  return isRecord(schema) && schema['type'] === undefined ? { ...schema, type: 'object' } : schema;
}

/** Reads MCP's hints. Only `true` and `false` count. A tool without the read-only hint writes. */
function readAnnotations(value: unknown): ToolAnnotations {
  const given = isRecord(value) ? value : {};
  const { title, readOnlyHint, destructiveHint, idempotentHint } = given;
  return {
    ...(typeof title === 'string' && title !== '' ? { title: cutText(title, MAX_NAME) } : {}),
    readOnlyHint: readOnlyHint === true,
    ...(typeof destructiveHint === 'boolean' ? { destructiveHint } : {}),
    ...(typeof idempotentHint === 'boolean' ? { idempotentHint } : {}),
  };
}

function refuseTool(
  { plugin, entry }: ContributionContext,
  toolId: string | undefined,
  why: string,
): BulkheadError {
  return invalidTool(plugin.id, entry.file, toolId, why);
}
