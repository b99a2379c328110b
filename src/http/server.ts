import { randomBytes } from 'node:crypto';
import { createMcpHandler, type McpHandler } from '../adapters/mcp/handler.js';
import type { McpOptions } from '../adapters/mcp/options.js';
import type { PendingApprovals } from '../approval/pending.js';
import type { Engine } from '../engine/engine-api.js';
import type { Logger } from '../engine/options/options.js';
import { BulkheadError } from '../errors.js';
import { type App, createApp, type Mounted } from './app.js';
import { approvalRoutes, type ApprovalRoutesSpec } from './approvals.js';
import { SERVER_LIMITS, type ServerLimits } from './limits.js';
import { listen } from './listen.js';
import type { VerifierOptions } from './tokens/verifier.js';
import { APPLICATION_PATHS } from './vertesia/application.js';
import {
  type BelievedTokens,
  createVertesiaHandler,
  type VertesiaHandler,
} from './vertesia/handler.js';
import type { InvocationRecord, VertesiaOptions } from './vertesia/options.js';

export interface ServerOptions {
  /** Default: `127.0.0.1`. Anywhere else has to be reached by people whom the token tells apart. */
  readonly host?: string;
  /** Default: 4173. 0 takes one that is free. */
  readonly port?: number;
  /** The URL by which others reach this server, where that is not the one it listens on. */
  readonly publicUrl?: string;
  /** What opens what is the operator's. Default: one that is made up at each start. */
  readonly token?: string;
  /** The custom tool server of Vertesia's protocol. */
  readonly vertesia?: { readonly path: string } & Pick<
    VertesiaOptions,
    'title' | 'description' | 'tools' | 'details'
  >;
  /** The endpoint for MCP's clients. */
  readonly mcp?: { readonly path: string } & McpOptions;
  /** Whose tokens the tool server believes. */
  readonly tokens?: Pick<VerifierOptions, 'jwks' | 'audience' | 'organizations' | 'network'>;
  /** Questions that the operator answers at `/api/approvals`, with the token. */
  readonly approvals?: PendingApprovals;
  readonly limits?: Partial<ServerLimits>;
}

/** What may change while a server runs. */
export interface ServerChanges {
  readonly plugins?: readonly string[];
  readonly tokens?: BelievedTokens;
  /** The operator's, where one is chosen. */
  readonly token?: string | undefined;
}

export interface RunningServer {
  readonly url: string;
  readonly token: string;
  /**
   * Reads the plugins again, and has the issuers' keys fetched again. Calls under way go on. What is
   * given replaces what the server was started with; throws `INVALID_OPTIONS` for tokens that cannot
   * be, and then nothing has changed.
   */
  reload(next?: ServerChanges): Promise<void>;
  /**
   * Takes no more connections, lets what is under way finish for as long as `drainMs`, and closes.
   * The engine is left open. Resolves with whether everything finished.
   */
  stop(): Promise<boolean>;
}

/** Serves an engine's tools on one port. Throws `INVALID_OPTIONS`. */
export async function startServer(
  engine: Engine,
  options: ServerOptions,
  logger: Logger,
): Promise<RunningServer> {
  const { host = '127.0.0.1', port = 4173 } = options;
  const limits = { ...SERVER_LIMITS, ...options.limits };
  const loopback = isLoopback(host);
  if (!loopback && options.token === undefined) throw needsToken(host);
  let { token = randomBytes(24).toString('base64url') } = options;
  let chosen = options.token !== undefined;
  const mcp = await openMcp(engine, options, limits, logger);

  let app: App | undefined;
  const serve = async (request: Request, admitted: () => void): Promise<Response> =>
    app?.fetch(request, admitted) ?? notYet();
  const listening = await listen(serve, { host, port, maxConnections: limits.maxConnections });
  const url = trimmed(options.publicUrl ?? listening.url);
  let vertesia: VertesiaHandler | undefined;
  try {
    vertesia = openVertesia(engine, url, options, logger);
  } catch (error) {
    await Promise.all([listening.close(false), mcp?.close()]);
    throw error;
  }
  const mounted: Mounted[] = [];
  if (options.approvals !== undefined) {
    const { approvals: pending } = options;
    const spec: ApprovalRoutesSpec = {
      pending,
      get token() {
        return token;
      },
      limits,
    };
    mounted.push(...approvalRoutes(spec));
  }
  if (vertesia !== undefined && options.vertesia !== undefined) {
    const { path } = options.vertesia;
    const { fetch, application } = vertesia;
    mounted.push({ path, access: 'verified', fetch });
    const base = path.replace(/\/[^/]*\/?$/, '');
    for (const below of APPLICATION_PATHS) {
      mounted.push({
        path: `${base}${below}`,
        access: 'verified',
        fetch: (request, admit) => application(request, base, admit),
      });
    }
  }
  if (mcp !== undefined && options.mcp !== undefined) {
    const { fetch, lasts } = mcp;
    mounted.push({ path: options.mcp.path, access: 'operator', fetch, lasts });
  }
  app = createApp({
    engine,
    mounted,
    get token() {
      return token;
    },
    get tokenRequired() {
      return chosen;
    },
    hosts: loopback ? ownHosts(listening.port, url) : new Set(),
    jwks: () => engine.jwks(),
    limits,
    onRequest: (record) => logger.info(record, 'request'),
    onFault: (error) =>
      logger.error({ error: error instanceof Error ? error.stack : String(error) }, 'fault'),
  });
  const served = app;

  return {
    url,
    token,
    reload: async ({ plugins, tokens, token: next } = {}) => {
      vertesia?.refresh(tokens);
      // One that is not named any more goes on: nobody would know which comes after it.
      chosen ||= next !== undefined;
      token = next ?? token;
      await engine.reload(plugins === undefined ? {} : { plugins });
    },
    stop: async () => {
      listening.stop();
      // What listens for changes would never end by itself; calls under way are left to.
      mcp?.quiet();
      const finished = await within(served.drain(), limits.drainMs);
      await listening.close(finished);
      await Promise.all([vertesia?.close(), mcp?.close()]);
      return finished;
    },
  };
}

function openVertesia(
  engine: Engine,
  url: string,
  options: ServerOptions,
  logger: Logger,
): VertesiaHandler | undefined {
  if (options.vertesia === undefined) return undefined;
  const { path, ...said } = options.vertesia;
  return createVertesiaHandler(engine, {
    ...said,
    ...options.tokens,
    url: `${url}${path}`,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    onInvocation: (record: InvocationRecord) => logger.info(record, 'invocation'),
    onKeysFailed: (jwks, why) => logger.warn({ jwks, why }, 'keys of an issuer cannot be had'),
  });
}

async function openMcp(
  engine: Engine,
  { mcp }: ServerOptions,
  { maxBodyBytes, maxListeners }: ServerLimits,
  logger: Logger,
): Promise<McpHandler | undefined> {
  if (mcp === undefined) return undefined;
  const { path: _path, ...said } = mcp;
  const onError = ({ message }: Error): void => logger.info({ why: message }, 'mcp');
  const handler = createMcpHandler(engine, { maxBodyBytes, maxListeners, onError, ...said });
  await handler.ready();
  return handler;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

/** The Host headers of requests that were meant for this server. */
function ownHosts(port: number, url: string): ReadonlySet<string> {
  const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  return new Set([...names, new URL(url).host.toLowerCase()]);
}

function trimmed(url: string): string {
  if (!URL.canParse(url)) {
    throw new BulkheadError('INVALID_OPTIONS', `${url} is not a URL that others could use.`, {
      option: 'publicUrl',
    });
  }
  return url.replace(/\/+$/, '');
}

function needsToken(host: string): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `Listening on ${host} lets other machines in, so a token has to be chosen: --token, BULKHEAD_TOKEN, or "token" in the configuration.`,
    { option: 'token' },
  );
}

function notYet(): Response {
  return new Response(null, { status: 503, headers: { 'retry-after': '1' } });
}

async function within(done: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  const finished = await Promise.race([done.then(() => true), late]);
  clearTimeout(timer);
  return finished;
}
