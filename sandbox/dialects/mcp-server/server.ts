import { isRecord } from '../../wire/json.js';
import type { CallWorld, DialectWorld } from '../dialect.js';
import {
  MAX_PAST,
  MAX_TOOLS,
  makeToolBudget,
  OVER_BUDGET,
  PAST_CAP,
  shortDescription,
} from '../tool-list.js';
import { makeClientSide } from './client.js';
import { MCP_LIMITS } from './limits.js';
import { type AskOptions, makeSession } from './session.js';
import { makeStdio, type StdioFace } from './stdio.js';

/** The process that a server believes to be, as the replacement of `process` gets it. */
export interface ProgramFace {
  readonly argv: readonly string[];
  /** The server ends itself. */
  readonly exit: (code: number) => void;
}

/** The server of a guest, with its session. */
export interface Server {
  readonly face: StdioFace;
  readonly program: ProgramFace;
  /** Remembers a line for the error of a server that ends. */
  noteLine(line: string): void;
  /** Runs the program once, and opens the session. Later calls return the same promise. */
  start(run: () => unknown): Promise<void>;
  /** The error of later requests if the server has ended itself. */
  whyEnded(): Promise<unknown>;
  /** The grant has changed: a server that was told its roots lists them again. */
  regranted(): void;
  /** What the server offers, as JSON text for the format's reader. */
  describe(): Promise<string>;
  /** Sends a request of the host's client. Resolves with the result. */
  ask(
    method: string,
    params: object,
    options: AskOptions & { readonly call?: CallWorld },
  ): Promise<unknown>;
}

/** What makes a terminal write in colours. */
// oxlint-disable-next-line no-control-regex -- that character begins it
const COLOURS = /\u001b\[[\d;]{0,20}m/g;

/** The newest version of the protocol with sessions, which every server of 2025 and later can negotiate. */
const PROTOCOL = '2025-11-25';

export function makeServer(world: DialectWorld): Server {
  const { clock, reportFault } = world.powers;
  const client = makeClientSide(world);
  const lastLines: string[] = [];
  let strays = 0;
  let hasExited = false;
  let started: Promise<void> | undefined;
  let initialized: Readonly<Record<string, unknown>> = {};
  /** The granted mounts as the server last heard of them. `undefined`: it has no roots. */
  let roots: string | undefined;

  const onStray = (what: string): void => {
    strays += 1;
    // Each power of two, so that a flood fills no log.
    // guard: mcp-stray-lines-counted
    if ((strays & (strays - 1)) === 0)
      world.log('warn', [`standard output: ${what} (${strays} so far)`]);
  };
  const session = makeSession({
    send: (line) => stdio.send(line),
    onRequest: client.onRequest,
    onNotification: client.onNotification,
    onStray,
  });
  const noteLine = (line: string): void => {
    lastLines.push(line.replace(COLOURS, '').slice(0, MAX_NOTED));
    if (lastLines.length > MCP_LIMITS.lastLines) lastLines.shift();
  };
  const end = (why: string, origin?: unknown): void => {
    const said = lastLines.length === 0 ? '' : `. Its last lines: ${lastLines.join(' | ')}`;
    session.end(`${why}${said}`.slice(0, MCP_LIMITS.maxErrorText), origin);
  };
  const stdio = makeStdio({
    clock,
    onLine: session.receive,
    onTooLong: () =>
      session.fail(
        `the server wrote a message of more than ${MCP_LIMITS.maxLineCharacters} characters`,
      ),
    onErrorLine: (line) => {
      noteLine(line);
      world.log('info', [line]);
    },
    reportFault,
  });
  const program: ProgramFace = harden({
    argv: [...argumentsOf(world)],
    // The server's own code calls it with any value.
    exit: (code: unknown) => {
      hasExited = true;
      end(`the server ended itself with the exit code ${typeof code === 'number' ? code : 0}`);
      // The answers are sent first. The next call starts another guest.
      world.end();
    },
  });

  const open = async (run: () => unknown): Promise<void> => {
    // The program may never return. It has started when it answers.
    void Promise.resolve()
      .then(run)
      .catch((error: unknown) => {
        if (hasExited) return;
        reportFault(error);
        end(`the server could not start: ${messageOf(error)}`, error);
      });
    const capabilities = client.capabilities();
    if ('roots' in capabilities) roots = JSON.stringify(world.grant.fs ?? []);
    const result = await session.ask('initialize', {
      protocolVersion: PROTOCOL,
      capabilities,
      clientInfo: { name: 'bulkhead', version: '1.0.0' },
    });
    initialized = isRecord(result) ? result : {};
    session.notify('notifications/initialized', {});
  };

  const listAll = async (method: string, field: string): Promise<readonly unknown[]> => {
    const items: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MCP_LIMITS.maxPages; page += 1) {
      const answer = await session.ask(method, cursor === undefined ? {} : { cursor });
      const list = isRecord(answer) ? answer[field] : undefined;
      if (Array.isArray(list)) items.push(...list.slice(0, MCP_LIMITS.maxItems + MAX_PAST + 1));
      if (items.length > MCP_LIMITS.maxItems + MAX_PAST) break;
      const next = isRecord(answer) ? answer['nextCursor'] : undefined;
      if (typeof next !== 'string' || next === cursor) break;
      cursor = next;
    }
    return items;
  };

  const describeTools = (tools: readonly unknown[]): string => {
    const budget = makeToolBudget(world);
    const described = tools.slice(0, MAX_TOOLS + MAX_PAST).map((tool, index) => {
      const name =
        isRecord(tool) && typeof tool['name'] === 'string' ? tool['name'].slice(0, 128) : undefined;
      const problem = (why: string): string => world.serialize({ problem: why, name });
      if (index >= MAX_TOOLS) return problem(PAST_CAP);
      try {
        const text = `{"tool":${world.serialize(shortened(tool))}}`;
        return budget.take(text) ? text : problem(OVER_BUDGET);
      } catch (error) {
        return problem(messageOf(error));
      }
    });
    const rest = tools.length - described.length;
    if (rest > 0) described.push(world.serialize({ problem: `further tools: ${PAST_CAP}` }));
    return `[${described.join(',')}]`;
  };

  return {
    face: stdio.face,
    program,
    noteLine,
    start: (run) => (started ??= open(run)),
    whyEnded: async () =>
      hasExited ? session.ask('initialize', {}).catch((why: unknown) => why) : undefined,
    regranted: () => {
      const now = JSON.stringify(world.grant.fs ?? []);
      if (roots === undefined || roots === now) return;
      roots = now;
      session.notify('notifications/roots/list_changed', {});
    },
    describe: async () => {
      const { capabilities, serverInfo, instructions, protocolVersion } = initialized;
      const offers = isRecord(capabilities) ? capabilities : {};
      const tools = offers['tools'] === undefined ? [] : await listAll('tools/list', 'tools');
      const about = {
        serverInfo,
        protocolVersion,
        capabilities: offers,
        instructions:
          typeof instructions === 'string'
            ? instructions.slice(0, MCP_LIMITS.maxDescription)
            : undefined,
      };
      return `{"server":${world.serialize(about)},"tools":${describeTools(tools)}}`;
    },
    ask: async (method, params, { call, ...options }) => {
      const tell = call?.progress;
      const onProgress =
        tell &&
        ((report: Readonly<Record<string, unknown>>): void => {
          const { progress, total, message } = report;
          const short =
            typeof message === 'string' ? message.slice(0, MCP_LIMITS.maxErrorText) : undefined;
          tell({ progress, total, message: short }, progressText(report));
        });
      return (await session.ask(method, params, { ...options, onProgress })) ?? null;
    },
  };
}

/** Characters of a line in an error. */
const MAX_NOTED = 300;

/** A report of progress, as a line of the call's output. */
function progressText({ progress, total, message }: Readonly<Record<string, unknown>>): string {
  const counted = typeof progress === 'number' ? [String(progress)] : [];
  const whole = typeof total === 'number' ? `${counted.join('')}/${total}` : counted.join('');
  const said = typeof message === 'string' ? message.slice(0, MCP_LIMITS.maxErrorText) : '';
  return `${[whole, said].filter((part) => part !== '').join(' ')}\n`;
}

/** A copy whose description is not longer than a description may be. */
function shortened(tool: unknown): unknown {
  if (!isRecord(tool) || typeof tool['description'] !== 'string') return tool;
  return { ...tool, description: shortDescription(tool['description']) };
}

/**
 * `node`, the program, and the arguments of the operator's configuration. `{{NAME}}` in an argument becomes
 * the granted variable, or its placeholder.
 */
function argumentsOf(world: DialectWorld): readonly string[] {
  const { config, environment } = world;
  const file = programOf(world);
  const args = isRecord(config) ? config['args'] : undefined;
  return [
    'node',
    file === undefined ? '/plugin' : `/plugin/${file}`,
    ...(Array.isArray(args) ? args.filter((arg) => typeof arg === 'string') : []).map((arg) =>
      arg.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) =>
        Object.hasOwn(environment, name) ? (environment[name] ?? whole) : whole,
      ),
    ),
  ];
}

/** The file of the program, relative to the plugin's directory. */
export function programOf({ pluginInfo }: Pick<DialectWorld, 'pluginInfo'>): string | undefined {
  const file = isRecord(pluginInfo) ? pluginInfo['program'] : undefined;
  return typeof file === 'string' ? file : undefined;
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'an error that cannot be read';
  }
}
