import { BulkheadError, isBulkheadError } from '../../errors.js';
import type { ToolAnswer } from '../../plugin/answer.js';
import { bandOfHints } from '../../plugin/risk.js';
import { REMOTE_LIMITS } from '../limits.js';
import type { OriginSpec } from '../origin.js';
import { digestOf, type PinStore, readPins, whyWaits, writePins } from '../pins.js';
import type { Remote, RemoteCall, RemoteListing, RemoteProblem, RemoteTool } from '../remote.js';
import { readMcpAnswer } from './answer.js';
import { connect, type Connection } from './connection.js';
import { type DescribedMcpTool, readMcpTool } from './describe.js';
import type { McpRemoteOptions } from './options.js';

export interface McpRemoteSpec {
  readonly id: string;
  readonly options: McpRemoteOptions;
  readonly network: OriginSpec['network'];
  readonly pins: PinStore;
  readonly onEvent?: OriginSpec['onEvent'];
}

interface Listed {
  readonly tools: readonly DescribedMcpTool[];
  readonly problems: readonly RemoteProblem[];
  readonly name: string | undefined;
  readonly version: string | undefined;
}

/**
 * A server that speaks MCP. What its tools say of themselves is pinned when it is first seen: a
 * definition that changed, or came later, is not offered until somebody has accepted it.
 */
export function makeMcpRemote(spec: McpRemoteSpec): Remote {
  const { id, options, pins } = spec;
  const where =
    'command' in options ? [options.command, ...(options.args ?? [])].join(' ') : options.mcp;
  const listeners = new Set<() => void>();
  let connection: Promise<Connection> | undefined;
  let kept: Listed | undefined;

  let over = false;

  const open = async (signal: AbortSignal): Promise<Connection> => {
    for (;;) {
      const last = connection;
      const before = await last?.catch(() => undefined);
      if (before !== undefined && !before.closed) return before;
      if (over) throw new Error('it was let go of');
      // Somebody else was first: one connection is all that is closed in the end.
      if (last !== connection) continue;
      const onToolsChanged = (): void => {
        for (const listener of listeners) listener();
      };
      connection = connect({ ...spec, onToolsChanged }, signal);
      void before?.close();
      return connection;
    }
  };

  const list = async (signal: AbortSignal): Promise<Listed> => {
    const { client } = await open(signal);
    const { tools } = await client.listTools(undefined, { signal, timeout: REMOTE_LIMITS.startMs });
    const read = tools.slice(0, REMOTE_LIMITS.maxTools).map((entry) => readMcpTool(entry, id));
    const found = new Map<string, DescribedMcpTool>();
    for (const one of read) if (!('code' in one) && !found.has(one.tool)) found.set(one.tool, one);
    const about = client.getServerVersion();
    return {
      tools: [...found.values()],
      problems: read.flatMap((one) => ('code' in one ? [one] : [])),
      name: about?.title ?? about?.name,
      version: about?.version,
    };
  };

  const run = async (tool: DescribedMcpTool, call: RemoteCall): Promise<ToolAnswer> => {
    const { client } = await open(call.signal);
    const { onOutput } = call;
    try {
      const answer: unknown = await client.callTool(
        { name: tool.tool, arguments: { ...call.input } },
        {
          signal: call.signal,
          timeout: call.timeoutMs,
          resetTimeoutOnProgress: false,
          ...(onOutput === undefined
            ? {}
            : { onprogress: ({ message }) => message && onOutput(message) }),
        },
      );
      return readMcpAnswer(answer, id, call.maxResultBytes);
    } catch (error) {
      throw failureOf(error, id, tool.tool);
    }
  };

  const toolOf = (tool: DescribedMcpTool): RemoteTool => ({
    tool: tool.tool,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    annotations: tool.annotations,
    declaredRisk: bandOfHints(tool.annotations),
    requireApproval: false,
    hash: `${tool.hash} ${where}`,
    run: (call) => run(tool, call),
  });

  return {
    id,
    kind: 'mcp',
    where,
    local: 'command' in options,
    load: async (signal) => {
      const late = AbortSignal.timeout(REMOTE_LIMITS.startMs);
      const problem = await list(AbortSignal.any([signal, late])).then(
        (listed) => {
          kept = listed;
          return undefined;
        },
        (error: unknown) => unreachable(id, where, error, kept !== undefined),
      );
      const wanted = (kept?.tools ?? []).filter(
        ({ tool }) => options.tools === undefined || options.tools.includes(tool),
      );
      const pinned = readPins(pins.read(id));
      if (pinned === undefined && kept !== undefined) await pins.keep(id, writePins(kept.tools));
      const digest = digestOf(kept?.tools ?? []);
      const waiting = wanted.flatMap(
        (tool) => (pinned && whyWaits(tool, pinned, id, digest)) ?? [],
      );
      const withheld = new Set(waiting.map(({ toolId }) => toolId));
      return listingOf(id, kept, {
        tools: wanted.filter(({ tool }) => !withheld.has(tool)).map(toolOf),
        problems: [
          ...(problem === undefined ? [] : [problem]),
          ...(kept?.problems ?? []),
          ...waiting,
        ],
      });
    },
    accept: async (digest) => {
      if (kept === undefined) return;
      if (digest !== undefined && digest !== digestOf(kept.tools)) throw another(id, digest);
      await pins.keep(id, writePins(kept.tools));
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      over = true;
      const last = await connection?.catch(() => undefined);
      await last?.close();
    },
  };
}

function listingOf(
  id: string,
  listed: Listed | undefined,
  offered: Pick<RemoteListing, 'tools' | 'problems'>,
): RemoteListing {
  return {
    name: listed?.name ?? id,
    description: undefined,
    version: listed?.version,
    ...offered,
  };
}

function another(id: string, digest: string): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `What ${id} offers now is not what was shown under the digest ${digest}. Look at it again: bulkhead remotes`,
    { option: 'digest' },
  );
}

function failureOf(error: unknown, id: string, tool: string): BulkheadError {
  if (isBulkheadError(error)) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new BulkheadError(
    'REMOTE_FAILED',
    `${id} did not run ${tool}: ${why.slice(0, REMOTE_LIMITS.maxErrorCharacters)}`,
    { remote: id },
    { cause: error },
  );
}

function unreachable(id: string, where: string, error: unknown, stale: boolean): RemoteProblem {
  const cause = error instanceof Error && isBulkheadError(error.cause) ? error.cause : error;
  const why = cause instanceof Error ? cause.message : String(cause);
  return {
    code: isBulkheadError(cause) ? cause.code : 'REMOTE_FAILED',
    message: `${id} (${where}) did not say what it offers: ${why.slice(0, REMOTE_LIMITS.maxErrorCharacters)}${stale ? ' It goes on with what it offered before.' : ''}`,
  };
}
