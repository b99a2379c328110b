import { isBulkheadError, messageOf } from '../../errors.js';
import type { ToolAnswer } from '../../plugin/answer.js';
import { bandOfHints } from '../../plugin/risk.js';
import { type Description, makeDescriber, readTools, remoteFailed } from '../description.js';
import { makeCredentialScrubber } from '../scrub.js';
import { REMOTE_LIMITS } from '../limits.js';
import type { OriginSpec } from '../origin.js';
import { acceptList, applyPins, type PinStore } from '../pins.js';
import type { McpRemoteOptions, Remote, RemoteCall, RemoteTool } from '../remote.js';
import { connect, type Connection } from './connection.js';
import { type McpTool, readMcpAnswer, readMcpTool } from './messages.js';

export interface McpRemoteSpec {
  readonly id: string;
  readonly options: McpRemoteOptions;
  readonly network: OriginSpec['network'];
  readonly pins: PinStore;
  readonly onEvent?: OriginSpec['onEvent'];
}

/**
 * A server that speaks MCP. The definitions of its tools are pinned at the first list. A definition that
 * is new or has changed since is withheld until the operator accepts it.
 */
export function makeMcpRemote(spec: McpRemoteSpec): Remote {
  const { id, options, pins } = spec;
  const where =
    'command' in options ? [options.command, ...(options.args ?? [])].join(' ') : options.mcp;
  const scrub = makeCredentialScrubber(
    'command' in options ? [] : Object.values(options.headers ?? {}),
  );
  const listeners = new Set<() => void>();
  let connection: Promise<Connection> | undefined;
  let closed = false;
  let poll: NodeJS.Timeout | undefined;

  const open = async (signal: AbortSignal): Promise<Connection> => {
    for (;;) {
      const last = connection;
      const before = await last?.catch(() => undefined);
      if (before !== undefined && !before.closed) return before;
      if (closed) throw new Error('the engine closed it');
      // Another call opened a connection meanwhile. There is only one, which `close` ends.
      if (last !== connection) continue;
      const onToolsChanged = (): void => {
        for (const listener of listeners) listener();
      };
      const onNoStream = (): void => {
        if (!closed) poll ??= setInterval(onToolsChanged, REMOTE_LIMITS.pollMs).unref();
      };
      connection = connect({ ...spec, onToolsChanged, onNoStream }, signal);
      void before?.close();
      return connection;
    }
  };

  const describe = async (signal: AbortSignal): Promise<Description<McpTool>> => {
    const { client } = await open(signal);
    const { tools } = await client.listTools(undefined, { signal, timeout: REMOTE_LIMITS.startMs });
    const about = client.getServerVersion();
    return {
      name: about?.title ?? about?.name,
      description: undefined,
      version: about?.version,
      ...readTools(tools, id, { schemaField: 'inputSchema' }, readMcpTool),
    };
  };
  const server = makeDescriber({ id, where, timeoutMs: REMOTE_LIMITS.startMs }, describe);

  const run = async ({ tool }: McpTool, call: RemoteCall): Promise<ToolAnswer> => {
    const { client } = await open(call.signal);
    const { onOutput, onProgress } = call;
    try {
      const answer: unknown = await client.callTool(
        { name: tool, arguments: { ...call.input } },
        {
          signal: call.signal,
          timeout: call.timeoutMs,
          resetTimeoutOnProgress: false,
          ...(onOutput === undefined && onProgress === undefined
            ? {}
            : {
                onprogress: ({ progress, total, message }) => {
                  onProgress?.({
                    progress,
                    ...(total === undefined ? {} : { total }),
                    ...(message === undefined ? {} : { message }),
                  });
                  if (message !== undefined && message !== '') onOutput?.(message);
                },
              }),
        },
      );
      return readMcpAnswer(answer, id, call.maxResultBytes);
    } catch (error) {
      if (isBulkheadError(error)) throw error;
      const why = scrub(messageOf(error));
      const cut = why.slice(0, REMOTE_LIMITS.maxErrorCharacters);
      throw remoteFailed(id, `${id} did not run ${tool}: ${cut}`, error);
    }
  };

  const toolOf = (tool: McpTool): RemoteTool => ({
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
      const failures = await server.refresh(signal);
      const { last } = server;
      const { tools, problems } =
        last === undefined ? NOTHING_LISTED : await applyPins(id, last.tools, pins);
      const isWanted = (tool: string | undefined): boolean =>
        tool === undefined || (options.tools?.includes(tool) ?? true);
      return {
        name: last?.name ?? id,
        description: last?.description,
        version: last?.version,
        tools: tools.filter(({ tool }) => isWanted(tool)).map(toolOf),
        problems: [
          ...failures,
          ...(last?.problems ?? []),
          ...problems.filter(({ toolId }) => isWanted(toolId)),
        ],
      };
    },
    accept: (digest) => acceptList(id, server.last?.tools, digest, pins),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      closed = true;
      clearInterval(poll);
      const last = await connection?.catch(() => undefined);
      await last?.close();
    },
  };
}

/** Without a list there is nothing to pin. */
const NOTHING_LISTED = { tools: [], problems: [] };
