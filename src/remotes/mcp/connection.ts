import type { Client, JsonSchemaValidatorResult, Transport } from '@modelcontextprotocol/client';
import type { NetworkLimits } from '../../brokers/limits.js';
import { messageOf } from '../../errors.js';
import { type McpNotice, toSdkType } from '../../plugin/mcp-source.js';
import { LOG_LEVELS, type LogLevel } from '../../plugin/call-client.js';
import { REMOTE_LIMITS } from '../limits.js';
import { makeRemoteOrigin, type OriginSpec } from '../origin.js';
import type { McpRemoteOptions } from '../remote.js';
import { makeCommandTransport } from './command-transport.js';
import { type ConfinedCommand, confineCommand, type ConfiningMachine } from './confine.js';
import { makeFetch } from './fetch.js';
import type { OAuthSession } from './oauth.js';
import { loadClientSdk, type McpClientSdk } from './sdk.js';
import type { OpenCalls, ServerRequests } from './server-requests.js';

/** A connected client. */
export interface Connection {
  readonly client: Client;
  /** The last lines of a command's standard error. */
  lastErrors(): string;
  /** Whether the server or this client closed the connection. */
  readonly closed: boolean;
  close(): Promise<void>;
}

export interface ConnectSpec {
  readonly id: string;
  readonly options: McpRemoteOptions;
  readonly network: OriginSpec['network'];
  readonly onEvent?: OriginSpec['onEvent'];
  readonly confining?: ConfiningMachine;
  readonly calls: OpenCalls;
  readonly requests: ServerRequests;
  /** The login at a server that requires one. */
  readonly oauth?: OAuthSession;
  readonly onToolsChanged: () => void;
  readonly onNotice: (notice: McpNotice) => void;
  /** The server announces changes, but refuses the stream that would report them (405 for GET). */
  readonly onNoStream: () => void;
}

/** A call may take minutes without output: its own deadline ends it. */
const LIMITS: Partial<NetworkLimits> = {
  headersMs: 600_000,
  idleMs: 600_000,
  totalMs: 3_600_000,
  maxResponseBytes: 16 * 1024 * 1024,
};

/**
 * Connects to the server. A command that ends when it is asked for its version, which older ones do not
 * know, is started again and asked as older clients do.
 */
export async function connect(spec: ConnectSpec, signal: AbortSignal): Promise<Connection> {
  const mcp = await loadClientSdk();
  try {
    return await connectAs(mcp, spec, spec.options.protocol ?? 'auto', signal);
  } catch (error) {
    const mayBeOld = 'command' in spec.options && error instanceof ServerEnded;
    if (!mayBeOld || signal.aborted) throw error;
    return connectAs(mcp, spec, 'legacy', signal);
  }
}

/** The server's process ended before it was connected. */
class ServerEnded extends Error {}

async function connectAs(
  mcp: McpClientSdk,
  spec: ConnectSpec,
  mode: 'auto' | 'legacy',
  signal: AbortSignal,
): Promise<Connection> {
  const { requests, calls } = spec;
  let hasStream = true;
  const reportNoStream = (): void => {
    const announces = client.getServerCapabilities()?.tools?.listChanged === true;
    if (!hasStream && announces) spec.onNoStream();
  };
  const { transport, close, lastErrors } = await openTransport(mcp, spec, () => {
    hasStream = false;
    reportNoStream();
  });
  const client = new mcp.Client(
    { name: 'bulkhead', version: '1' },
    {
      capabilities: requests.capabilities,
      versionNegotiation: { mode, probe: { timeoutMs: REMOTE_LIMITS.discoveryMs } },
      // The default validator compiles schemas to code, and the server chooses its output schemas.
      jsonSchemaValidator: { getValidator: acceptAll },
    },
  );
  let closed = false;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client has no other way
  client.onclose = () => {
    closed = true;
  };
  listenTo(client, spec);
  const end = async (): Promise<void> => {
    closed = true;
    await Promise.all([client.close().catch(() => {}), transport.close().catch(() => {})]);
    await close();
  };
  // A server that is silent while it connects must not outlive its remote.
  const onAbort = (): void => void end();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await calls.outside(() =>
      client.connect(transport, { timeout: REMOTE_LIMITS.startMs, signal }),
    );
    const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
    const filter = {
      ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
      ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
      ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
    };
    // Servers of older versions notify without a subscription. Others may not support one.
    if (Object.keys(filter).length > 0) {
      calls.outside(() => void client.listen(filter).catch(() => {}));
    }
    reportNoStream();
  } catch (error) {
    const ended = closed;
    await end();
    const said = lastErrors();
    const why = said === '' ? messageOf(error) : `${messageOf(error)}. Its last words: ${said}`;
    throw ended ? new ServerEnded(why, { cause: error }) : said === '' ? error : new Error(why);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  return {
    client,
    lastErrors,
    get closed() {
      return closed;
    },
    close: end,
  };
}

/** Receives what a server sends by itself. */
function listenTo(
  client: Client,
  { requests, calls, onToolsChanged, onNotice }: ConnectSpec,
): void {
  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged);
  client.setNotificationHandler('notifications/prompts/list_changed', () =>
    onNotice({ type: 'prompts-changed' }),
  );
  client.setNotificationHandler('notifications/resources/list_changed', () =>
    onNotice({ type: 'resources-changed' }),
  );
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    onNotice({ type: 'resource-updated', uri: params.uri }),
  );
  client.setNotificationHandler('notifications/message', ({ params }) => {
    const { level, logger, data } = params;
    if (!isLogLevel(level)) return;
    const name = typeof logger === 'string' ? { logger: logger.slice(0, 200) } : {};
    calls.current()?.call.client?.log?.({ level, data, ...name });
  });
  const { elicitation, sampling, roots } = requests.capabilities;
  // Without the capability, the SDK refuses to register the handler, and the request.
  if (elicitation !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) =>
      toSdkType(await requests.elicit(params)),
    );
  }
  if (sampling !== undefined) {
    client.setRequestHandler('sampling/createMessage', async ({ params }) =>
      toSdkType(await requests.sample(params)),
    );
  }
  if (roots !== undefined) {
    client.setRequestHandler('roots/list', () => {
      const { roots: listed } = requests.roots();
      return { roots: [...listed] };
    });
  }
}

function isLogLevel(level: unknown): level is LogLevel {
  return LOG_LEVELS.some((known) => known === level);
}

interface OpenTransport {
  readonly transport: Transport;
  readonly close: () => Promise<void>;
  readonly lastErrors: () => string;
}

async function openTransport(
  mcp: McpClientSdk,
  { id, options, network, oauth, onEvent, confining }: ConnectSpec,
  onNoStream: () => void,
): Promise<OpenTransport> {
  if ('command' in options) {
    const { command, args = [], env = {}, cwd, confine } = options;
    const named = { command, args, env: { ...mcp.getDefaultEnvironment(), ...env }, cwd };
    const { spec, dispose }: ConfinedCommand =
      // guard: confined-command-confined
      confine === undefined
        ? { spec: named, dispose: () => {} }
        : await confineCommand(id, named, confine, confining);
    const transport = makeCommandTransport(mcp, spec);
    return { transport, close: async () => dispose(), lastErrors: transport.lastErrors };
  }
  const url = new URL(options.mcp);
  const origin = makeRemoteOrigin({ id, options, network, onEvent }, url.origin, LIMITS);
  const send = makeFetch(origin, onNoStream);
  const transport = new mcp.StreamableHTTPClientTransport(url, {
    fetch: oauth === undefined ? send : oauth.watch(send),
    requestInit: { headers: { ...options.headers } },
    ...(oauth === undefined ? {} : { authProvider: oauth }),
    reconnectionScheduler: makeReopen(),
  });
  return { transport, close: () => origin.close(), lastErrors: () => '' };
}

/** Streams that a server may end and get again as soon as it asks. Later ones wait for `reopenMs`. */
const MAX_EARLY = 3;

/**
 * Opens a stream again after the delay that its server asks for. Stops a server that ends its streams at once
 * and asks for a new one in 0 ms: after three streams that are opened early, the next is early after ten seconds.
 */
function makeReopen(
  now: () => number = Date.now,
): (connectAgain: () => void, delayMs: number) => () => void {
  let early = 0;
  let lastMs = now();
  return (connectAgain, delayMs) => {
    early = Math.max(0, early - Math.floor((now() - lastMs) / (10 * REMOTE_LIMITS.reopenMs)));
    lastMs = now();
    const mayBeEarly = early < MAX_EARLY;
    if (delayMs < REMOTE_LIMITS.reopenMs && mayBeEarly) early += 1;
    // guard: stream-reopen-interval
    const waitMs = mayBeEarly ? delayMs : Math.max(delayMs, REMOTE_LIMITS.reopenMs);
    const timer = setTimeout(connectAgain, waitMs);
    timer.unref();
    return () => clearTimeout(timer);
  };
}

/** Accepts any value: each part is checked at its use. */
function acceptAll<T>(): (input: unknown) => JsonSchemaValidatorResult<T> {
  const isAny = (_input: unknown): _input is T => true;
  return (input) =>
    isAny(input)
      ? { valid: true, data: input, errorMessage: undefined }
      : { valid: false, data: undefined, errorMessage: '' };
}
