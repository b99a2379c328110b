import { randomBytes } from 'node:crypto';
import type {
  CallToolRequest,
  CallToolResult,
  InputRequiredResult,
  RequestStateCodec,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import type * as stdioSdk from '@modelcontextprotocol/server/stdio';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { Engine } from '../../engine/engine-api.js';
import { BulkheadError, isBulkheadError } from '../../errors.js';
import type { CallOptions } from '../../engine/types/options.js';
import type { LogLevel } from '../../plugin/call-client.js';
import { servedTools } from '../served.js';
import { clientApprover } from './client-approver.js';
import { canElicit, clientOf } from './client.js';
import { OFFERED_CAPABILITIES, serveOffers } from './offers.js';
import { makeServedNames, type ServedNames } from './sources.js';
import {
  approveCall,
  type AskedCalls,
  type AnswerState,
  makeAskedCalls,
  type McpSdk,
} from './elicitation.js';
import {
  type CallOfClient,
  type CallStep,
  type LiveCall,
  makeParkedCalls,
  type ParkedCalls,
} from './parked-calls.js';
import { listTools, takesObject, toMcpResult } from './shapes.js';

/** How tools are served to MCP clients. */
export interface McpOptions {
  /** The server's name. Default: `bulkhead`. */
  readonly name?: string;
  /** The server's version. Default: this package's version. */
  readonly version?: string;
  /** Text that clients show their model about these tools. Default: none. */
  readonly instructions?: string;
  /** Names in the catalog of the tools to serve; `*` matches any text. Default: all. */
  readonly tools?: readonly string[];
  /**
   * The tenant for whom its calls run, and questions are asked. A handler serves one tenant: make one
   * for each. Default: no tenant.
   */
  readonly tenant?: string;
  /** Who asks, for the approver and the audit log. Default: `mcp:` and the name that the client gives. */
  readonly asker?: string;
  /**
   * Signs the state between a question and its answer. At least 32 bytes, and the same on every server
   * that may receive the answer. Default: a random key.
   */
  readonly stateKey?: string;
  /** Bytes of a request's body, over HTTP. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Subscriptions to changes at once, over HTTP. Default: 256. */
  readonly maxListeners?: number;
  /** Sessions of clients of older versions at once, over HTTP. The one unused for longest ends. Default: 256. */
  readonly maxSessions?: number;
  /** Receives errors that no answer reports. */
  readonly onError?: (error: Error) => void;
}

/** Loads MCP's own package at the first use. Throws `INVALID_OPTIONS` if the package is not installed, and says how to install it. */
export function loadSdk(): Promise<McpSdk> {
  return import('@modelcontextprotocol/server').catch(notInstalled);
}

export function loadStdioSdk(): Promise<typeof stdioSdk> {
  return import('@modelcontextprotocol/server/stdio').catch(notInstalled);
}

function notInstalled(error: unknown): never {
  throw new BulkheadError(
    'INVALID_OPTIONS',
    'Serving MCP needs a package that is not installed. To fix this, run: npm i @modelcontextprotocol/server@^2.4',
    { option: 'mcp' },
    { cause: error },
  );
}

/** Servers of one engine: one for each HTTP request, session or stdio connection. */
export interface Servers {
  /** What is served, under the names that clients see. */
  readonly names: ServedNames;
  make(): Server;
  /** Ends the calls that wait for their clients. */
  close(): void;
}

export function makeServers(mcp: McpSdk, engine: Engine, options: McpOptions): Servers {
  const { name = 'bulkhead', version = '0.1.0', instructions, stateKey } = options;
  const codec = mcp.createRequestStateCodec<AnswerState>({
    key: stateKey ?? randomBytes(32).toString('base64'),
  });
  const asked = makeAskedCalls();
  const parked = makeParkedCalls(mcp, codec);
  const served = servedTools(engine.catalog, options.tools);
  const names = makeServedNames(engine, served, (error) => options.onError?.(error));
  const make = (): Server => {
    const hasSources = engine.mcpSources().length > 0;
    const server = new mcp.Server(
      { name, version },
      {
        capabilities: {
          tools: { listChanged: true },
          ...(hasSources ? OFFERED_CAPABILITIES : {}),
        },
        requestState: { verify: codec.verify },
        ...(instructions === undefined ? {} : { instructions }),
      },
    );
    const offers = hasSources ? serveOffers({ mcp, server, names }) : undefined;
    if (offers !== undefined) {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a server has no other way
      server.onclose = () => offers.close();
    }
    const logLevel = (): LogLevel | undefined => offers?.logLevel();
    const caller = {
      ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
      ...(options.asker === undefined ? {} : { asker: options.asker }),
    };
    const spec: ServerSpec = { mcp, engine, codec, asked, parked, server, names, logLevel, caller };
    server.setRequestHandler('tools/list', () => ({
      tools: listTools(engine, served.list(), names.nameOf),
    }));
    server.setRequestHandler('tools/call', (request, context) => call(spec, request, context));
    return server;
  };
  return { names, make, close: () => parked.close() };
}

interface ServerSpec {
  readonly mcp: McpSdk;
  readonly engine: Engine;
  readonly codec: RequestStateCodec<AnswerState>;
  readonly asked: AskedCalls;
  readonly parked: ParkedCalls;
  readonly server: Server;
  readonly names: ServedNames;
  readonly logLevel: () => LogLevel | undefined;
  readonly caller: Pick<McpOptions, 'tenant' | 'asker'>;
}

async function call(
  spec: ServerSpec,
  { params }: CallToolRequest,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { mcp, engine, server, names, parked } = spec;
  const { tenant, asker } = spec.caller;
  const tool = find(spec, params.name);
  if (tool === undefined) throw unknownTool(mcp, params.name);
  const input = params.arguments ?? {};
  const inputOf: CallOfClient = { tool: tool.name, input, context };
  const run = (approval: string | undefined) => (live: LiveCall) => {
    const client = clientOf(server, live, spec.logLevel);
    return engine.call(tool.name, input, {
      signal: live.signal,
      // guard: mcp-calls-for-tenant
      ...(tenant === undefined ? {} : { tenant }),
      ...progressOf(live),
      client,
      ...clientApprover(client),
      ...(approval === undefined ? {} : { approval }),
    });
  };
  const begin = async (): Promise<CallStep> => {
    const { call: waiting } = context.mcpReq.requestState<AnswerState>() ?? {};
    if (waiting !== undefined) return parked.resume(waiting, inputOf);
    const clientName = server.getClientVersion()?.name.slice(0, 100) ?? 'a client';
    const step = await approveCall(
      {
        tool,
        input,
        tenant,
        asker: asker ?? `mcp: ${clientName}`,
        canElicit: canElicit(server, context),
      },
      { ...spec, context },
    );
    return step.run ? parked.start(inputOf, run(step.approval)) : { answer: step.answer };
  };
  try {
    const step = await begin();
    if ('answer' in step) return step.answer;
    return server.projectCallToolResult(
      toMcpResult(step.result, (block) => names.exportUris(tool.plugin, block)),
      undefined,
    );
  } catch (error) {
    if (isBulkheadError(error, 'TOOL_NOT_FOUND')) throw unknownTool(mcp, params.name);
    if (error instanceof mcp.ProtocolError) throw error;
    if (!isBulkheadError(error)) throw new Error('Internal error', { cause: error });
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

function find({ names }: ServerSpec, name: string): CatalogTool | undefined {
  const tool = names.find(name);
  return tool !== undefined && takesObject(tool) ? tool : undefined;
}

function unknownTool(mcp: McpSdk, name: string): Error {
  return new mcp.ProtocolError(
    mcp.ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${name.slice(0, 200)}`,
  );
}

/**
 * Sends the progress of a call and a tool's output as progress, if the client requested progress. A server
 * that reports progress reports its output too.
 */
function progressOf({ context }: LiveCall): Pick<CallOptions, 'onOutput' | 'onProgress'> {
  if (context().mcpReq._meta?.progressToken === undefined) return {};
  let last = -Infinity;
  let sent = 0;
  let reports = false;
  const send = (progress: number, more: { total?: number; message?: string }): void => {
    sent += 1;
    // The protocol requires values that increase.
    // guard: mcp-progress-capped
    if (sent > MAX_PROGRESS || !(progress > last)) return;
    last = progress;
    const { mcpReq } = context();
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined) return;
    const params = { progressToken, progress, ...more };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  return {
    onProgress: ({ progress, total, message }) => {
      reports = true;
      send(progress, {
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message: message.slice(0, MAX_MESSAGE_CHARACTERS) }),
      });
    },
    onOutput: (chunk) => {
      if (!reports) send(sent + 1, { message: chunk.slice(0, MAX_MESSAGE_CHARACTERS) });
    },
  };
}

const MAX_MESSAGE_CHARACTERS = 4_000;
/** Progress messages of one call. Stops a server that reports progress in a loop. */
const MAX_PROGRESS = 10_000;
