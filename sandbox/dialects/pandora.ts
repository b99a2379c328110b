import { CodedError } from '../wire/failure.js';
import type { Attached, CallWorld, Dialect, DialectWorld } from './dialect.js';
import {
  MAX_PAST,
  MAX_TOOLS,
  makeToolBudget,
  OVER_BUDGET,
  PAST_CAP,
  shortDescription,
  type ToolBudget,
  unreadKeys,
} from './tool-list.js';
import { withSignal } from './with-signal.js';

/**
 * Pandora: an entry exports an array `tools`. It may export `resolveTools`, which creates more
 * tools from configuration and environment. A tool runs as `execute(input, { env, logger, signal
 * })`. The original has no `signal`. An entry of agents exports `agent`, which is data.
 */
export const pandora: Dialect = {
  // Its contract has only `Math.random`.
  hasCryptoRandom: false,
  attach: (exports, world) => {
    const logger = makeLogger(world);
    // Static tools are available synchronously. Resolved tools are created once for each guest.
    const found = new Map<string, Tool>();
    readTools(exports['tools'], found);
    let resolving: Promise<Resolved> | undefined;
    // The budget of both lists is new for each description.
    const resolve = (budget = makeToolBudget(world)): Promise<Resolved> =>
      (resolving ??= resolveTools(exports['resolveTools'], { world, into: found, budget }));

    const run = (tool: Tool, input: unknown, call: CallWorld): unknown =>
      tool.execute(input, withSignal({ env: { ...world.environment }, logger }, call));

    const attached: Attached = {
      describe: async () => {
        const budget = makeToolBudget(world);
        const statics = describeAll(exports['tools'], world, budget);
        const resolved = await resolve(budget);
        const agent = describeAgent(exports['agent'], world);
        const instead = describeExports(exports, world);
        return `{"tools":${statics},"resolved":${resolved.described}${agent}${instead}}`;
      },
      // Tools may depend on variables and powers, so they are resolved again.
      regrant: () => {
        resolving = undefined;
      },
      call: (name, input, call) => {
        const tool = found.get(name);
        if (tool !== undefined) return run(tool, input, call);
        return resolve().then(() => {
          const resolved = found.get(name);
          if (resolved !== undefined) return run(resolved, input, call);
          throw new CodedError('TOOL_NOT_FOUND', `no tool has the id ${name}`);
        });
      },
    };
    return attached;
  },
};

interface Tool {
  execute(input: unknown, context: unknown): unknown;
}

interface Resolved {
  /** `{"tools": …, "alerts": …}`, `{"error": …}`, or `null` if there is no `resolveTools`. */
  readonly described: string;
}

function isTool(value: unknown): value is Tool {
  return (
    typeof value === 'object' &&
    value !== null &&
    'execute' in value &&
    typeof value.execute === 'function'
  );
}

function readTools(list: unknown, into: Map<string, Tool>): void {
  for (const tool of listOf(list)) {
    // Reading a property may run a getter. If it throws, the other tools are not affected.
    try {
      if (isTool(tool) && 'id' in tool && typeof tool.id === 'string') into.set(tool.id, tool);
    } catch {
      continue;
    }
  }
}

/** The members of a plugin's array, read by index: its own methods are not called. */
function listOf(value: unknown, most = MAX_TOOLS): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const members: unknown[] = [];
  for (let index = 0; index < Math.min(value.length, most); index += 1) {
    members.push(value[index]);
  }
  return members;
}

async function resolveTools(
  resolve: unknown,
  {
    world,
    into,
    budget,
  }: {
    readonly world: DialectWorld;
    readonly into: Map<string, Tool>;
    readonly budget: ToolBudget;
  },
): Promise<Resolved> {
  if (typeof resolve !== 'function') return { described: 'null' };
  try {
    const answer: unknown = await Reflect.apply(resolve, undefined, [
      { pluginConfig: copyOf(world.config), env: { ...world.environment } },
    ]);
    const tools: unknown = readProperty(answer, 'tools');
    const alerts: unknown = readProperty(answer, 'alerts');
    readTools(tools, into);
    return {
      described: `{"tools":${describeAll(tools, world, budget)},"alerts":${world.serialize(alerts ?? [])}}`,
    };
  } catch (error) {
    return { described: `{"error":${world.serialize(messageOf(error))}}` };
  }
}

function readProperty(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function copyOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

const FIELDS = [
  'id',
  'name',
  'description',
  'parameters',
  'timeout',
  'sandbox',
  'permissions',
  'annotations',
];

const READ: ReadonlySet<string> = new Set([...FIELDS, 'execute']);

/**
 * Each tool as `{"tool": …}` or `{"problem": …, "id": …}`: a broken tool, one that is too large and
 * those past the cap do not hide the others.
 */
function describeAll(list: unknown, world: DialectWorld, budget: ToolBudget): string {
  const described = listOf(list, MAX_TOOLS + MAX_PAST).map((tool, index) => {
    if (index >= MAX_TOOLS) return problemOf(tool, PAST_CAP, world);
    const text = describeTool(tool, world);
    return budget.take(text) ? text : problemOf(tool, OVER_BUDGET, world);
  });
  const rest = Array.isArray(list) ? list.length - described.length : 0;
  if (rest > 0) described.push(problemOf(undefined, `${rest} further tools: ${PAST_CAP}`, world));
  return `[${described.join(',')}]`;
}

/** A tool that cannot be offered, with its id if that can be read. */
function problemOf(tool: unknown, problem: string, world: DialectWorld): string {
  let id: unknown;
  try {
    id = readProperty(tool, 'id');
  } catch {
    // A getter threw.
  }
  const name = typeof id === 'string' && id.length <= MAX_ID ? { id } : {};
  return world.serialize({ problem, ...name });
}

/** Characters of a tool's id, as the host allows. */
const MAX_ID = 128;

function describeTool(tool: unknown, world: DialectWorld): string {
  try {
    const fields = FIELDS.map((field): [string, unknown] => {
      const value = readProperty(tool, field);
      return [field, field === 'description' ? shortDescription(value) : value];
    });
    const plain: Record<string, unknown> = {
      ...Object.fromEntries(fields),
      executable: isTool(tool),
      unread: unreadKeys(tool, READ),
      // JSON has no Infinity. As text, the reader can distinguish it from a missing timeout.
      ...nameTimeout(readProperty(tool, 'timeout')),
    };
    return `{"tool":${world.serialize(plain)}}`;
  } catch (error) {
    return problemOf(tool, messageOf(error), world);
  }
}

/** Names of exports that are reported. */
const MAX_EXPORTS = 20;

/** What an entry without tools and agent exports, for the message to its author. */
function describeExports(exports: DialectExports, world: DialectWorld): string {
  const { tools, resolveTools: resolver, agent } = exports;
  if (Array.isArray(tools) || typeof resolver === 'function' || agent !== undefined) return '';
  const names = Object.keys(exports)
    // A module without `export` is bundled as CommonJS, with an empty default.
    .filter((name) => name !== 'default' || !isEmpty(exports['default']))
    .slice(0, MAX_EXPORTS);
  return `,"exports":${world.serialize({ names, tools: typeof tools })}`;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Reflect.ownKeys(value).length === 0;
}

type DialectExports = Parameters<Dialect['attach']>[0];

const AGENT_FIELDS = ['id', 'name', 'description', 'instructions'];

/** The agent that an entry exports, as a member of the answer; empty without one. */
function describeAgent(agent: unknown, world: DialectWorld): string {
  if (agent === undefined) return '';
  try {
    const fields = AGENT_FIELDS.map((field): [string, unknown] => [
      field,
      readProperty(agent, field),
    ]);
    return `,"agent":${world.serialize(Object.fromEntries(fields))}`;
  } catch (error) {
    return `,"agent":${world.serialize(messageOf(error))}`;
  }
}

function nameTimeout(timeout: unknown): { readonly timeout?: string } {
  return typeof timeout === 'number' && !Number.isFinite(timeout)
    ? { timeout: String(timeout) }
    : {};
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'an error that cannot be read';
  }
}

function makeLogger(world: DialectWorld): unknown {
  const to =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (...parts: unknown[]): void =>
      world.log(level, parts);
  // The original has log, warn and error. There, log writes to the host's debug level.
  return harden({
    log: to('debug'),
    debug: to('debug'),
    info: to('info'),
    warn: to('warn'),
    error: to('error'),
  });
}
