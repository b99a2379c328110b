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
import { isRecord } from '../../../sandbox/wire/json.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { Engine } from '../../engine/engine-api.js';
import { BulkheadError, isBulkheadError } from '../../errors.js';
import { servedTools, type ServedTools } from '../served.js';
import {
  approveCall,
  type AskedCalls,
  type ElicitationState,
  makeAskedCalls,
  type McpSdk,
} from './elicitation.js';
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
   * Signs the state between a question and its answer. At least 32 bytes, and the same on every server
   * that may receive the answer. Default: a random key.
   */
  readonly stateKey?: string;
  /** Bytes of a request's body, over HTTP. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Subscriptions to changes at once, over HTTP. Default: 256. */
  readonly maxListeners?: number;
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

/** Makes servers of one engine: one for each HTTP request, or one for each stdio connection. */
export function makeServers(mcp: McpSdk, engine: Engine, options: McpOptions): () => Server {
  const { name = 'bulkhead', version = '0.1.0', instructions, stateKey } = options;
  const codec = mcp.createRequestStateCodec<ElicitationState>({
    key: stateKey ?? randomBytes(32).toString('base64'),
  });
  const asked = makeAskedCalls();
  const served = servedTools(engine.catalog, options.tools);
  return () => {
    const server = new mcp.Server(
      { name, version },
      {
        capabilities: { tools: { listChanged: true } },
        requestState: { verify: codec.verify },
        ...(instructions === undefined ? {} : { instructions }),
      },
    );
    const spec: ServerSpec = { mcp, engine, codec, asked, server, served };
    server.setRequestHandler('tools/list', () => ({
      tools: listTools(engine, served.list()),
    }));
    server.setRequestHandler('tools/call', (request, context) => call(spec, request, context));
    return server;
  };
}

interface ServerSpec {
  readonly mcp: McpSdk;
  readonly engine: Engine;
  readonly codec: RequestStateCodec<ElicitationState>;
  readonly asked: AskedCalls;
  readonly server: Server;
  readonly served: ServedTools;
}

async function call(
  spec: ServerSpec,
  { params }: CallToolRequest,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { mcp, engine, server } = spec;
  const tool = find(spec, params.name);
  if (tool === undefined) throw unknownTool(mcp, params.name);
  const input = params.arguments ?? {};
  try {
    const client = server.getClientVersion()?.name.slice(0, 100) ?? 'a client';
    const step = await approveCall(
      { tool, input, asker: `mcp: ${client}`, canElicit: canElicit(server, context) },
      { ...spec, context },
    );
    if (!step.run) return step.answer;
    const result = await engine.call(tool.name, input, {
      signal: context.mcpReq.signal,
      onOutput: progressOf(context),
      ...(step.approval === undefined ? {} : { approval: step.approval }),
    });
    return server.projectCallToolResult(toMcpResult(result), undefined);
  } catch (error) {
    if (isBulkheadError(error, 'TOOL_NOT_FOUND')) throw unknownTool(mcp, params.name);
    if (!isBulkheadError(error)) throw new Error('Internal error', { cause: error });
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

function find({ served }: ServerSpec, name: string): CatalogTool | undefined {
  const tool = served.find(name);
  return tool !== undefined && takesObject(tool) ? tool : undefined;
}

function unknownTool(mcp: McpSdk, name: string): Error {
  return new mcp.ProtocolError(
    mcp.ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${name.slice(0, 200)}`,
  );
}

/** Whether the client can show a question to its user, by this request or else by the first one. */
function canElicit(server: Server, { mcpReq }: ServerContext): boolean {
  const envelope: unknown = mcpReq.envelope;
  const now = isRecord(envelope)
    ? envelope['io.modelcontextprotocol/clientCapabilities']
    : undefined;
  const capabilities: unknown = now ?? server.getClientCapabilities();
  return isRecord(capabilities) && capabilities['elicitation'] !== undefined;
}

/** Sends a tool's output as progress, if the client requested progress. */
function progressOf({ mcpReq }: ServerContext): (chunk: string) => void {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return (chunk) => {
    if (progressToken === undefined) return;
    progress += 1;
    const params = { progressToken, progress, message: chunk.slice(0, MAX_MESSAGE_CHARACTERS) };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

const MAX_MESSAGE_CHARACTERS = 4_000;
