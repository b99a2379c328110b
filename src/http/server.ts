import { createMcpHandler, type McpHandler, type McpOptions } from '../adapters/mcp.js';
import { makePlainCalls, type PlainCalls } from '../adapters/mcp/plain-calls.js';
import { policyOf, type AuditOptions } from '../audit/options.js';
import { createConsole, type Console } from '../console/console.js';
import type { ConsoleUpdates } from '../console/updates.js';
import type { ShownRunner } from '../console/pages/machine.js';
import type { RecentOptions } from '../console/recent-calls.js';
import type { Entrant } from '../console/sessions.js';
import type { Engine } from '../engine/engine-api.js';
import type { Logger } from '../engine/types/options.js';
import { BulkheadError } from '../errors.js';
import { type App, createApp } from './app.js';
import type { RequestRecord, Route } from './route.js';
import { approvalRoutes } from './approvals.js';
import { completeCredentials, type Credentials, type Role } from './credentials.js';
import { fileRoutes } from './files.js';
import { SERVER_LIMITS, type ServerLimits } from './limits.js';
import { isLoopback, listen, ownHosts } from './listen.js';
import { checkNotices, type NoticeOptions, sendNotices } from './notices.js';
import { rolesOf } from './operator.js';
import { pinIssuers } from './tokens/issuers.js';
import type { VerifierOptions } from './tokens/verify.js';
import { APPLICATION_PATHS } from './vertesia/application.js';
import { makeVertesiaServer, type VertesiaServer } from './vertesia/handler.js';
import type { InvocationRecord, TokenPolicy, VertesiaOptions } from './vertesia/options.js';
import { isDoneWithin, pause } from '../waiting.js';

export interface ServerOptions {
  /** Default: `127.0.0.1`. Any other host requires a chosen token to call. */
  readonly host?: string;
  /** Default: 4173. 0 chooses a free port. */
  readonly port?: number;
  /** The URL under which callers reach this server. Default: the one on which it listens. */
  readonly publicUrl?: string;
  /** The operator's tokens, of at least 16 characters. Default of each: a random one at each start. */
  readonly credentials?: Partial<Credentials>;
  /** Lets callers on loopback call and view without a token. Default: false. */
  readonly openLoopback?: boolean;
  /** The custom tool server of Vertesia's protocol. Default: none. */
  readonly vertesia?: { readonly path: string } & Pick<
    VertesiaOptions,
    'title' | 'description' | 'tools' | 'details'
  >;
  /** The endpoint for MCP clients. Default: none. */
  readonly mcp?: { readonly path: string } & McpOptions;
  /** The tokens that the tool server trusts. Default: none. */
  readonly tokens?: Pick<VerifierOptions, 'jwks' | 'audience' | 'organizations' | 'network'>;
  /** Whether the engine's approvals are listed and answered at `/api/approvals`. Default: false. */
  readonly approvals?: boolean;
  /** The operator's page, under `/console`. Default: none. Another host than loopback needs `publicUrl`. */
  readonly console?: ConsoleOptions;
  /** Webhooks that hear of each question that waits for a person. Default: none. */
  readonly notices?: readonly NoticeOptions[];
  readonly limits?: Partial<ServerLimits>;
  /** Called after each answer, e.g. to count it. Default: none. */
  readonly onRequest?: (record: RequestRecord) => void;
}

export interface ConsoleOptions {
  /** The name of the person at this machine. On loopback, `consoleLink` then opens the page. */
  readonly operator?: string;
  /** The audit options whose `inputs` and `redact` say what the page shows of inputs. Default: a digest. */
  readonly inputs?: Pick<AuditOptions, 'inputs' | 'redact'> | undefined;
  /** The calls that are kept in memory. Default: 1,000 calls, 64 MiB, 24 hours. */
  readonly recent?: Partial<RecentOptions>;
  /** Reviews and accepts updates of locked plugins. Default: the page offers none. */
  readonly updates?: ConsoleUpdates;
  /** The runners of a gateway, whenever the page is read. Default: the page shows none. */
  readonly runners?: () => readonly ShownRunner[];
}

/** Settings that may change while a server runs. */
export interface ServerChanges {
  readonly plugins?: readonly string[];
  readonly tokens?: TokenPolicy;
  /** The tokens that the operator chose. An absent one does not change. */
  readonly credentials?: Partial<Credentials>;
}

export interface RunningServer {
  readonly url: string;
  /** The current tokens, read at each access. */
  readonly credentials: Credentials;
  /** A link that opens the console once, within 5 minutes. Absent without a console on loopback. */
  readonly consoleLink?: string;
  /**
   * Reads the plugins again, and fetches the issuers' keys again. Calls in progress continue. The given
   * settings replace the current ones. Throws `INVALID_OPTIONS` for tokens that are not valid, and then
   * changes nothing.
   */
  reload(next?: ServerChanges): Promise<void>;
  /**
   * Answers new requests with 503 and `Connection: close` for `drainGraceMs`, waits up to `drainMs` for
   * requests in progress, and closes. No answered request is reset. The engine stays open. Resolves
   * with whether every request finished.
   */
  stop(): Promise<boolean>;
}

/** Throws `INVALID_OPTIONS` for options with which no server starts. */
export function checkServerOptions(options: ServerOptions): void {
  const { host = '127.0.0.1', openLoopback = false, publicUrl } = options;
  const loopback = isLoopback(host);
  if (!loopback && options.credentials?.call === undefined) throw needsToken(host);
  // guard: open-only-on-loopback
  if (!loopback && openLoopback) throw notLoopback(host);
  // guard: console-needs-own-name
  if (!loopback && options.console !== undefined && publicUrl === undefined)
    throw needsPublicUrl(host);
  completeCredentials(options.credentials ?? {});
  checkPaths(options);
  checkNotices(options.notices ?? []);
  pinIssuers(options.tokens?.jwks ?? []);
  if (publicUrl !== undefined) checkPublicUrl(publicUrl);
}

/** Serves an engine's tools on one port. Throws `INVALID_OPTIONS`. */
export async function startServer(
  engine: Engine,
  options: ServerOptions,
  logger: Logger,
): Promise<RunningServer> {
  checkServerOptions(options);
  const { host = '127.0.0.1', port = 4173 } = options;
  const limits = { ...SERVER_LIMITS, ...options.limits };
  const loopback = isLoopback(host);
  const { openLoopback = false } = options;
  let credentials = completeCredentials(options.credentials ?? {});
  const mcp = await openMcp(engine, options, limits, logger);

  let app: App | undefined;
  const listener = await listen(
    async (request, markBusy) => app?.fetch(request, markBusy) ?? notReady(),
    {
      host,
      port,
      maxConnections: limits.maxConnections,
      plain: (incoming, outgoing, markBusy) => app?.plain(incoming, outgoing, markBusy),
    },
  );
  let url: string;
  let vertesia: VertesiaServer | undefined;
  const desk = openConsole(engine, options, {
    origin: () => new URL(url).origin,
    credentials: () => credentials,
  });
  try {
    url = checkPublicUrl(options.publicUrl ?? listener.url);
    vertesia = openVertesia(engine, url, options, logger);
  } catch (error) {
    desk?.close();
    await Promise.all([listener.close(false), mcp?.close()]);
    throw error;
  }
  const served = createApp({
    engine,
    routes: [
      ...(options.approvals === true
        ? approvalRoutes({ approvals: engine.approvals, limits })
        : []),
      ...fileRoutes(engine),
      ...vertesiaRoutes(options, vertesia),
      ...mcpRoutes(options, mcp),
      ...consoleRoutes(desk),
    ],
    door: {
      get credentials() {
        return credentials;
      },
      openLoopback,
      hosts: loopback ? ownHosts(listener.port, url) : new Set(),
      ...(desk === undefined
        ? {}
        : { consoleHosts: loopback ? ownHosts(listener.port, url) : new Set([new URL(url).host]) }),
    },
    jwks: () => engine.jwks(),
    limits,
    onRequest: ({ route, ...record }) => {
      logger.info(record, 'request');
      options.onRequest?.({ route, ...record });
    },
    onFault: (error) =>
      logger.error({ error: error instanceof Error ? error.stack : String(error) }, 'fault'),
  });
  app = served;
  const notices = sendNotices({
    engine,
    targets: options.notices ?? [],
    origin: desk === undefined ? undefined : () => new URL(url).origin,
    logger,
  });
  const link = desk?.newLink();

  return {
    url,
    get credentials() {
      return credentials;
    },
    ...(link === undefined ? {} : { consoleLink: link }),
    reload: async ({ plugins, tokens, credentials: next = {} } = {}) => {
      const completed = completeCredentials({ ...credentials, ...next });
      vertesia?.refresh(tokens);
      credentials = completed;
      await engine.reload(plugins === undefined ? {} : { plugins });
    },
    stop: async () => {
      // `/readyz` and every new request are answered 503 from here on, while the port is open.
      const drained = served.drain();
      listener.drain();
      // A subscription would never end by itself. Calls finish.
      mcp?.endSubscriptions();
      desk?.endStreams();
      notices.close();
      const [finished] = await Promise.all([
        isDoneWithin(drained, limits.drainMs),
        pause(Math.min(limits.drainGraceMs, limits.drainMs)),
      ]);
      desk?.close();
      await listener.close(finished);
      await Promise.all([vertesia?.close(), mcp?.close()]);
      return finished;
    },
  };
}

function openConsole(
  engine: Engine,
  { console, host = '127.0.0.1' }: ServerOptions,
  server: { readonly origin: () => string; readonly credentials: () => Credentials },
): Console | undefined {
  if (console === undefined) return undefined;
  const { operator, inputs = {}, recent, updates, runners } = console;
  return createConsole({
    engine,
    origin: server.origin,
    entrantOf: (token) => entrantOf(rolesOf(token, server.credentials())),
    // guard: console-link-on-loopback
    operator: isLoopback(host) ? operator : undefined,
    inputs: policyOf(inputs),
    ...(recent === undefined ? {} : { recent }),
    ...(updates === undefined ? {} : { updates }),
    ...(runners === undefined ? {} : { runners }),
    now: Date.now,
  });
}

/** A credential that calls tools opens no page. */
function entrantOf(roles: readonly Role[]): Entrant | undefined {
  const [role] = roles;
  // guard: console-without-call-token
  if (role === undefined || role === 'call') return undefined;
  return { rights: new Set(['view', role]), by: `the token to ${role}` };
}

function consoleRoutes(desk: Console | undefined): readonly Route[] {
  if (desk === undefined) return [];
  return ['/console', '/console/*'].map((path): Route => ({
    path,
    access: 'console',
    fetch: (request, acquireSlot) => desk.fetch(request, acquireSlot),
    isSubscription: ({ url }) => new URL(url).pathname === '/console/events',
  }));
}

function vertesiaRoutes(
  { vertesia: options }: ServerOptions,
  handler: VertesiaServer | undefined,
): readonly Route[] {
  if (options === undefined || handler === undefined) return [];
  const base = options.path.replace(/\/[^/]*\/?$/, '');
  return [
    { path: options.path, access: 'verified', fetch: handler.fetch, invoke: handler.invoke },
    ...APPLICATION_PATHS.map((path): Route => ({
      path: `${base}${path}`,
      access: 'verified',
      fetch: (request, acquireSlot) => handler.application(request, base, acquireSlot),
    })),
  ];
}

function mcpRoutes({ mcp: options }: ServerOptions, handler: OpenMcp | undefined): Route[] {
  if (options === undefined || handler === undefined) return [];
  const { fetch, isSubscription, plainCalls } = handler;
  return [{ path: options.path, access: ['call'], fetch, isSubscription, plainCalls }];
}

function openVertesia(
  engine: Engine,
  url: string,
  options: ServerOptions,
  logger: Logger,
): VertesiaServer | undefined {
  if (options.vertesia === undefined) return undefined;
  const { path, ...described } = options.vertesia;
  return makeVertesiaServer(engine, {
    ...described,
    ...options.tokens,
    url: `${url}${path}`,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    onInvocation: (record: InvocationRecord) => logger.info(record, 'invocation'),
    onKeysFailed: (jwks, why) => logger.warn({ jwks, why }, 'keys of an issuer are not available'),
  });
}

type OpenMcp = McpHandler & { readonly plainCalls: PlainCalls };

async function openMcp(
  engine: Engine,
  { mcp }: ServerOptions,
  { maxBodyBytes, maxListeners }: ServerLimits,
  logger: Logger,
): Promise<OpenMcp | undefined> {
  if (mcp === undefined) return undefined;
  const { path: _path, ...rest } = mcp;
  const onError = ({ message }: Error): void => logger.info({ why: message }, 'mcp');
  const served = { maxBodyBytes, maxListeners, onError, ...rest };
  const handler = createMcpHandler(engine, served);
  await handler.ready();
  return { ...handler, plainCalls: makePlainCalls(engine, served) };
}

function checkPublicUrl(url: string): string {
  if (!URL.canParse(url)) {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      `${url} is not a valid public URL. Use an absolute URL such as https://tools.example.com.`,
      {
        option: 'publicUrl',
      },
    );
  }
  return url.replace(/\/+$/, '');
}

function needsToken(host: string): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `Listening on ${host} allows other machines, so it needs a token. Set --token, BULKHEAD_TOKEN, or "token" in the configuration. \`bulkhead keys new token\` creates one.`,
    { option: 'token' },
  );
}

function notLoopback(host: string): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `--open-loopback lets any caller run tools, so it needs a loopback address, and ${host} is not one. Listen on 127.0.0.1, or remove --open-loopback.`,
    { option: 'openLoopback' },
  );
}

function needsPublicUrl(host: string): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `The console on ${host} needs the URL that browsers use, to refuse the forms of other pages. Set --public-url, e.g. --public-url https://tools.example.com.`,
    { option: 'publicUrl' },
  );
}

/** Paths that this server always uses. */
const OWN_PATHS = ['/console', '/healthz', '/health', '/readyz', '/ready', '/api', '/.well-known'];

/** Throws `INVALID_OPTIONS` if two endpoints have one path, or MCP's is above or below another: a client could take one for the other. */
function checkPaths({ vertesia, mcp }: ServerOptions): void {
  const base = vertesia?.path.replace(/\/[^/]*\/?$/, '') ?? '';
  const taken = [
    ...(vertesia === undefined
      ? []
      : [vertesia.path, ...APPLICATION_PATHS.map((path) => `${base}${path.replace('/*', '')}`)]),
    ...OWN_PATHS,
  ].map(plainPath);
  const isTaken = (path: string): boolean =>
    taken.some((one) => isBelow(plainPath(path), one) || isBelow(one, plainPath(path)));
  // guard: endpoint-paths-differ
  if (mcp !== undefined && isTaken(mcp.path)) throw samePath('--mcp', mcp.path);
  const own = OWN_PATHS.some((one) => plainPath(vertesia?.path ?? '') === one);
  if (vertesia !== undefined && own) throw samePath('--vertesia', vertesia.path);
}

/** Whether two paths are equal, or the first is below the second. The root has no path below it: no route ends there. */
function isBelow(path: string, other: string): boolean {
  return path === other || (other !== '' && path.startsWith(`${other}/`));
}

/** Routes ignore a final slash. */
function plainPath(path: string): string {
  return path.replace(/\/+$/, '');
}

function samePath(option: string, path: string): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `${option} ${path} is the path of another endpoint of this server. Choose another path, e.g. ${option} /other.`,
    { option },
  );
}

function notReady(): Response {
  return new Response(null, { status: 503, headers: { 'retry-after': '1' } });
}
