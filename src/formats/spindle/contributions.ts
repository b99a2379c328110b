import { isBulkheadError } from '../../errors.js';
import {
  type Contributions,
  isToolName,
  type RefusedTool,
  type RegisteredHook,
  type RegisteredMacro,
  type Registrations,
  type ToolDefinition,
} from '../../plugin/tool.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { ContributionContext } from '../format.js';
import { cutText, quoteText } from '../quote.js';
import { hasProblem, withinCap } from '../tool-list.js';
import { misspeltEvent } from './event-names.js';
import { readTool, readToolName, refuseTool } from './tool.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';

/**
 * Reads a guest's answer to the request for its entry's contributions:
 *
 * ```
 *   { tools: [{ tool: {…} } | { problem: text, name }, …], registered: { events, hooks, macros, … } }
 * ```
 *
 * The answer is not trusted. A tool that cannot be read is refused alone. Of two tools with one name
 * the later counts, because a second registration replaces the first.
 */
export function readContributions(answer: unknown, context: ContributionContext): Contributions {
  const problems: string[] = [];
  const report = (problem: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push(cutText(problem, MAX_PROBLEM));
  };
  const tools = new Map<string, ToolDefinition>();
  const refused: RefusedTool[] = [];
  const list: unknown = isRecord(answer) ? answer['tools'] : undefined;
  // Checked by the host: without the permission, tools in the guest's answer do not count.
  // guard: spindle-registration-needs-permission
  const mayRegister = context.granted.powers.includes('tools');
  // guard: spindle-tools-need-permission
  const items: readonly unknown[] = mayRegister && Array.isArray(list) ? list : [];
  for (const item of withinCap(items, report)) {
    let toolId = hasProblem(item) && isToolName(item['name']) ? item['name'] : undefined;
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
  const registrations = readRegistrations(isRecord(answer) ? answer['registered'] : undefined);
  for (const event of registrations.events) {
    const problem = misspeltEvent(event);
    if (problem !== undefined) report(problem);
  }
  return { tools: [...tools.values()], refused, alerts: [], problems, registrations };
}

const MAX_PROBLEMS = 50;
const MAX_PROBLEM = 500;

function readFields(
  item: unknown,
  context: ContributionContext,
): Readonly<Record<string, unknown>> {
  const { tool, problem, name } = isRecord(item) ? item : {};
  if (isRecord(tool)) return tool;
  const why =
    typeof problem === 'string' ? `cannot be read: ${quoteText(problem)}` : 'is not an object';
  throw refuseTool(context, isToolName(name) ? name : undefined, why);
}

/** Reads the registrations other than tools. Omits invalid ones. Never throws. */
function readRegistrations(answer: unknown): Registrations {
  const given = isRecord(answer) ? answer : {};
  return {
    events: listIn(given, 'events').flatMap(textOf),
    hooks: readHooks(given['hooks']),
    macros: listIn(given, 'macros').flatMap(readMacro),
    endpoints: listIn(given, 'endpoints').flatMap((item) => {
      const { endpoint, requires } = isRecord(item) ? item : {};
      if (typeof endpoint !== 'string' || !ENDPOINT.test(endpoint)) return [];
      // An empty list requires nothing. Without a list, the owner's permissions are required.
      return [
        { endpoint, ...(Array.isArray(requires) ? { requires: requires.flatMap(textOf) } : {}) },
      ];
    }),
    commands: listIn(given, 'commands').slice(0, MAX_COMMANDS).flatMap(objectOf),
    providers: listIn(given, 'providers').flatMap((item) => {
      const { kind, id } = isRecord(item) ? item : {};
      return typeof kind === 'string' && typeof id === 'string'
        ? [{ kind: cutText(kind, MAX_TEXT), id: cutText(id, MAX_TEXT) }]
        : [];
    }),
  };
}

/** For each kind. The guest has the same limits. */
const MAX_ITEMS = 1_000;
const MAX_COMMANDS = 20;
const MAX_TEXT = 500;
const ENDPOINT = /^[a-z][a-z0-9_]{0,127}(?:\.[a-z0-9][a-z0-9_-]{0,127}){1,8}$/;
const MACRO = /^(?:[a-z0-9_:.-]{1,128}|[();<>])$/;

const HOOKS = [
  'interceptor',
  'contextHandler',
  'macroInterceptor',
  'worldInfoInterceptor',
  'contentProcessor',
];

/** A pattern that cannot be read fits no generation. */
const NEVER: JsonObject = { generationTypes: [] };

function listIn(given: Readonly<Record<string, unknown>>, key: string): readonly unknown[] {
  const list = given[key];
  return Array.isArray(list) ? list.slice(0, MAX_ITEMS) : [];
}

function textOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [cutText(value, MAX_TEXT)] : [];
}

function objectOf(value: unknown): readonly JsonObject[] {
  if (!isRecord(value)) return [];
  const copy: JsonObject = JSON.parse(JSON.stringify(value));
  return [copy];
}

function readHooks(written: unknown): Readonly<Record<string, RegisteredHook>> {
  if (!isRecord(written)) return {};
  return Object.fromEntries(
    HOOKS.flatMap((kind) => {
      const hook = Object.hasOwn(written, kind) ? written[kind] : undefined;
      if (!isRecord(hook)) return [];
      const { priority, timeoutMs, match } = hook;
      const [pattern] = objectOf(match);
      return [
        [
          kind,
          {
            priority: typeof priority === 'number' ? priority : 100,
            ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
            ...(kind !== 'interceptor' || match === undefined ? {} : { match: pattern ?? NEVER }),
          },
        ] as const,
      ];
    }),
  );
}

function readMacro(item: unknown): readonly RegisteredMacro[] {
  const { name, category, description } = isRecord(item) ? item : {};
  if (typeof name !== 'string' || !MACRO.test(name)) return [];
  return [
    {
      name,
      ...(typeof category === 'string' ? { category: cutText(category, MAX_TEXT) } : {}),
      ...(typeof description === 'string' ? { description: cutText(description, MAX_TEXT) } : {}),
    },
  ];
}
