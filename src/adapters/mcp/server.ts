import { randomBytes } from 'node:crypto';
import type {
  CallToolRequest,
  CallToolResult,
  InputRequiredResult,
  RequestStateCodec,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import { isRecord } from '../../../sandbox/wire/parse.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { Engine } from '../../engine/engine-api.js';
import { isBulkheadError } from '../../errors.js';
import { servedTools, type ServedTools } from '../served.js';
import { type Answered, type Carried, makeAnswered, makeConsent } from './consent.js';
import type { McpOptions } from './options.js';
import { toMcpResult } from './result.js';
import type { McpSdk } from './sdk.js';
import { listTools, takesObject } from './tools.js';

/** Makes servers of one engine: one for each request over HTTP, one for each connection else. */
export function makeServers(sdk: McpSdk, engine: Engine, options: McpOptions): () => Server {
  const { name = 'bulkhead', version = '0.1.0', instructions, stateKey } = options;
  const codec = sdk.createRequestStateCodec<Carried>({
    key: stateKey ?? randomBytes(32).toString('base64'),
  });
  const answered = makeAnswered();
  const served = servedTools(engine.catalog, options.tools);
  return () => {
    const server = new sdk.Server(
      { name, version },
      {
        capabilities: { tools: { listChanged: true } },
        requestState: { verify: codec.verify },
        ...(instructions === undefined ? {} : { instructions }),
      },
    );
    const spec: ServerSpec = { sdk, engine, codec, answered, server, served };
    server.setRequestHandler('tools/list', () => ({
      tools: listTools(engine, served.list()),
    }));
    server.setRequestHandler('tools/call', (request, context) => call(spec, request, context));
    return server;
  };
}

interface ServerSpec {
  readonly sdk: McpSdk;
  readonly engine: Engine;
  readonly codec: RequestStateCodec<Carried>;
  readonly answered: Answered;
  readonly server: Server;
  readonly served: ServedTools;
}

async function call(
  spec: ServerSpec,
  { params }: CallToolRequest,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { sdk, engine, server } = spec;
  const tool = find(spec, params.name);
  if (tool === undefined) throw unknownTool(sdk, params.name);
  const consent = makeConsent(sdk, spec.codec, spec.answered, context);
  try {
    const result = await engine.call(tool.name, params.arguments ?? {}, {
      signal: context.mcpReq.signal,
      onOutput: progressOf(context),
      ...(canBeAsked(server, context) ? { approve: consent.approve } : {}),
    });
    const question = result.code === 'APPROVAL_DENIED' ? await consent.question() : undefined;
    return question ?? server.projectCallToolResult(toMcpResult(result), undefined);
  } catch (error) {
    if (isBulkheadError(error, 'TOOL_NOT_FOUND')) throw unknownTool(sdk, params.name);
    if (!isBulkheadError(error)) throw new Error('Internal error', { cause: error });
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

function find({ served }: ServerSpec, name: string): CatalogTool | undefined {
  const tool = served.find(name);
  return tool !== undefined && takesObject(tool) ? tool : undefined;
}

function unknownTool(sdk: McpSdk, name: string): Error {
  return new sdk.ProtocolError(
    sdk.ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${name.slice(0, 200)}`,
  );
}

/** Whether there is somebody at the client's side whom it would ask: as this request says, or the first did. */
function canBeAsked(server: Server, { mcpReq }: ServerContext): boolean {
  const envelope: unknown = mcpReq.envelope;
  const now = isRecord(envelope)
    ? envelope['io.modelcontextprotocol/clientCapabilities']
    : undefined;
  const capabilities: unknown = now ?? server.getClientCapabilities();
  return isRecord(capabilities) && capabilities['elicitation'] !== undefined;
}

/** Hands on what a tool writes, to a client that asked for it. */
function progressOf({ mcpReq }: ServerContext): (chunk: string) => void {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return (chunk) => {
    if (progressToken === undefined) return;
    progress += 1;
    const params = { progressToken, progress, message: chunk.slice(0, MAX_MESSAGE) };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

const MAX_MESSAGE = 4_000;
