import { isRecord } from '../../../sandbox/wire/json.js';
import { isBulkheadError, messageOf } from '../../errors.js';
import type { ToolAnswer } from '../../plugin/answer.js';
import type { McpNotice } from '../../plugin/mcp-source.js';
import { bandOfHints } from '../../plugin/risk.js';
import { type Description, makeDescriber, readTools, remoteFailed } from '../description.js';
import { REMOTE_LIMITS } from '../limits.js';
import type { OriginSpec } from '../origin.js';
import { acceptList, applyPins, type PinStore } from '../pins.js';
import type { McpRemoteOptions, Remote, RemoteCall, RemoteTool } from '../remote.js';
import type { ConfiningMachine } from './confine.js';
import { connect, type Connection } from './connection.js';
import { type McpTool, readMcpAnswer, readMcpTool } from './messages.js';
import { type LoginStore, makeOAuthSession, type OAuthSession } from './oauth.js';
import { makeOwnScrubbers } from './own-secrets.js';
import { makeOpenCalls, makeServerRequests } from './server-requests.js';
import { makeMcpSource } from './source.js';
import { callAsTask } from './tasks.js';

export interface McpRemoteSpec {
  readonly id: string;
  readonly options: McpRemoteOptions;
  readonly network: OriginSpec['network'];
  readonly pins: PinStore;
  /** Stores the login at a server that is registered with `oauth`. */
  readonly logins: LoginStore;
  readonly onEvent?: OriginSpec['onEvent'];
  /** What confines its command, if the operator requires that. Default: this machine's. */
  readonly confining?: ConfiningMachine;
}

/**
 * A server that speaks MCP. The definitions of its tools are pinned at the first list. A definition that
 * is new or has changed since is withheld until the operator accepts it.
 */
export function makeMcpRemote(spec: McpRemoteSpec): Remote {
  const { id, options, pins } = spec;
  const where =
    'command' in options ? [options.command, ...(options.args ?? [])].join(' ') : options.mcp;
  const oauth = openOAuth(spec);
  const scrub = makeOwnScrubbers(options, () => oauth?.secrets() ?? []);
  const listeners = new Set<() => void>();
  const notices = new Set<(notice: McpNotice) => void>();
  const onNotice = (notice: McpNotice): void => {
    for (const listener of notices) listener(notice);
  };
  const calls = makeOpenCalls();
  const requests = makeServerRequests(id, options.allow ?? {}, calls);
  const end = new AbortController();
  let connected: Connection | undefined;
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
      // A call that is given up does not take the connection from the calls that wait for it too.
      const opened = connect(
        { ...spec, calls, requests, onToolsChanged, onNotice, onNoStream, ...(oauth && { oauth }) },
        AbortSignal.any([end.signal, AbortSignal.timeout(REMOTE_LIMITS.startMs)]),
      );
      connection = opened;
      void before?.close();
      void opened.then(
        (one) => {
          connected = one;
          onNotice({ type: 'offers-changed' });
        },
        () => {},
      );
      return untilAborted(opened, signal);
    }
  };

  /**
   * Uses the connection. If the server answers that it does not know the session, it has not run the request:
   * then a new session is opened and the request is sent once more. So is a request that does no harm twice, if
   * the server ended meanwhile. After any other failure a tool may have run, and nothing is sent again.
   */
  const use = async <T>(
    signal: AbortSignal,
    send: (one: Connection) => Promise<T>,
    mayRepeat = true,
  ): Promise<T> => {
    const one = await open(signal);
    try {
      return await send(one);
    } catch (error) {
      // guard: mcp-retry-only-idempotent
      const isHarmless = mayRepeat && one.closed && !signal.aborted;
      // guard: mcp-retry-only-lost-session
      if (!(isSessionLost(error) || isHarmless) || closed) throw error;
      await one.close();
      return send(await open(signal));
    }
  };

  const describe = async (signal: AbortSignal): Promise<Description<McpTool>> => {
    const { tools, about } = await use(signal, async ({ client }) => {
      // The SDK prints to standard output, which may be a protocol's, if there is nothing to list.
      const offered = client.getServerCapabilities()?.tools !== undefined;
      const listed = offered
        ? await client.listTools(undefined, { signal, timeout: REMOTE_LIMITS.startMs })
        : { tools: [] };
      return { tools: listed.tools, about: client.getServerVersion() };
    });
    return {
      name: about?.title ?? about?.name,
      description: undefined,
      version: about?.version,
      ...readTools(tools, id, { schemaField: 'inputSchema' }, readMcpTool),
    };
  };
  const server = makeDescriber({ id, where, timeoutMs: REMOTE_LIMITS.startMs }, describe);

  const run = async (
    { tool, isTask, annotations }: McpTool,
    call: RemoteCall,
  ): Promise<ToolAnswer> => {
    const { onOutput, onProgress } = call;
    const mayRepeat = annotations.idempotentHint === true || annotations.readOnlyHint === true;
    let answered: Connection | undefined;
    const send = (one: Connection): Promise<unknown> => {
      answered = one;
      const params = { name: tool, arguments: { ...call.input } };
      const limits: Parameters<typeof one.client.callTool>[1] = {
        signal: call.signal,
        timeout: call.timeoutMs,
        resetTimeoutOnProgress: false,
        ...(onOutput === undefined && onProgress === undefined
          ? {}
          : {
              onprogress: ({ progress, total, message }) => {
                // guard: mcp-progress-without-credentials
                const words = message === undefined ? undefined : scrub.answer(message);
                onProgress?.({
                  progress,
                  ...(total === undefined ? {} : { total }),
                  ...(words === undefined ? {} : { message: words }),
                });
                if (words !== undefined && words !== '') onOutput?.(words);
              },
            }),
      };
      return isTask
        ? callAsTask(one.client, params, call, limits)
        : one.client.callTool(params, limits);
    };
    try {
      const answer = await use(call.signal, (one) => calls.run(call, () => send(one)), mayRepeat);
      return readMcpAnswer(answer, id, call.maxResultBytes, scrub.answer);
    } catch (error) {
      if (isBulkheadError(error)) throw error;
      const why = scrub.error(messageOf(error));
      const cut = why.slice(0, REMOTE_LIMITS.maxErrorCharacters);
      const said = answered?.closed === true ? scrub.error(answered.lastErrors()) : '';
      const words = said === '' ? '' : `. Its last words: ${said}`;
      throw remoteFailed(id, `${id} did not run ${tool}: ${cut}${words}`, error);
    }
  };

  const toolOf = (tool: McpTool): RemoteTool => ({
    tool: tool.tool,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
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
    confinement: confinementOf(options),
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
    ...(oauth === undefined ? {} : { logIn: oauth.logIn, logOut: oauth.logOut }),
    accept: (digest) => acceptList(id, server.last?.tools, digest, pins),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    source: makeMcpSource({ id, use, scrub, connected: () => connected, notices }),
    close: async () => {
      closed = true;
      end.abort();
      clearInterval(poll);
      const last = await connection?.catch(() => undefined);
      await last?.close();
      await oauth?.close();
    },
  };
}

function openOAuth({ options, ...spec }: McpRemoteSpec): OAuthSession | undefined {
  if ('command' in options || options.oauth === undefined || options.oauth === false) return;
  return makeOAuthSession({ ...spec, options });
}

function confinementOf(options: McpRemoteOptions): Remote['confinement'] {
  if (!('command' in options)) return 'remote';
  return options.confine === undefined ? 'host' : 'sandbox-runtime';
}

/** Without a list there is nothing to pin. */
const NOTHING_LISTED = { tools: [], problems: [] };

/** Whether a server says that it does not know the session: after a restart, for example. */
function isSessionLost(error: unknown): boolean {
  const data: unknown = error instanceof Error && 'data' in error ? error.data : undefined;
  if (!isRecord(data)) return false;
  // Some servers answer 400, and say why.
  return (
    data['status'] === 404 || (data['status'] === 400 && /session/i.test(String(data['text'])))
  );
}

/** Rejects when the signal aborts, and leaves the promise to the others that wait for it. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new Error('it did not answer in time'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
