import { isJsonObject, isRecord } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { Engine } from '../../engine/engine-api.js';
import { isBulkheadError } from '../../errors.js';
import { servedTools } from '../served.js';
import type { McpOptions } from './server.js';
import { takesObject, toMcpResult } from './shapes.js';
import { makeServedNames } from './sources.js';

/**
 * Calls that need nothing of the protocol but its envelope: no session, progress, question or message
 * to the client. They are answered without the SDK, with the same bytes. A call that is
 * unusual in any way is left to the SDK, before anything runs.
 */
export interface PlainCalls {
  /**
   * Starts the call of the parsed body of a POST; `undefined` if the request is not plain, and then
   * nothing has run. `header` returns the value of a header by its name in lower case.
   */
  start(header: HeaderOf, body: unknown, signal: AbortSignal): PlainAnswer | undefined;
}

export type HeaderOf = (name: string) => string | undefined;

/** An answer with status 200. */
export interface PlainAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the body is an event stream, whose head may be sent before the body is known. */
  readonly isStream: boolean;
  /** Never rejects. */
  readonly body: Promise<string>;
}

/** The members that the protocol defines for a call. The request has no others. */
interface PlainCall {
  readonly id: string | number;
  readonly name: string;
  readonly input: JsonObject;
  /** Whether it is of the current version of the protocol. */
  readonly isCurrent: boolean;
}

export function makePlainCalls(engine: Engine, options: McpOptions): PlainCalls {
  const { name = 'bulkhead', version = '0.1.0', tenant } = options;
  const served = servedTools(engine.catalog, options.tools);
  const names = makeServedNames(engine, served, (error) => options.onError?.(error));
  const whose = tenant === undefined ? {} : { tenant };

  const findTool = (call: PlainCall): CatalogTool | undefined => {
    const tool = names.find(call.name);
    if (tool === undefined || !takesObject(tool)) return undefined;
    // An MCP server behind this one may ask the client, or send messages to it.
    const isPlain =
      tool.confinement === 'compartment' &&
      engine.mcpSources().every(({ id }) => id !== tool.plugin);
    return isPlain ? tool : undefined;
  };
  const mayAsk = (tool: CatalogTool, input: JsonObject): boolean => {
    if (engine.approvals.attended) return false;
    try {
      return engine.previewCall(tool.name, input, whose).verdict === 'ask';
    } catch {
      return true;
    }
  };
  const run = async (
    tool: CatalogTool,
    call: PlainCall,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> => {
    const { id, isCurrent } = call;
    try {
      const answered = await engine.call(tool.name, call.input, {
        signal,
        // guard: plain-calls-for-tenant
        ...whose,
      });
      const result = toMcpResult(answered);
      return { result: isCurrent ? withServerInfo(result, { name, version }) : result, ...rpc(id) };
    } catch (error) {
      if (isBulkheadError(error, 'TOOL_NOT_FOUND')) {
        const message = `Unknown tool: ${call.name.slice(0, 200)}`;
        return { ...rpc(id), error: { code: INVALID_PARAMS, message } };
      }
      if (isBulkheadError(error)) {
        const result = { content: [{ type: 'text', text: error.message }], isError: true };
        return {
          result: isCurrent ? withServerInfo(result, { name, version }) : result,
          ...rpc(id),
        };
      }
      options.onError?.(new Error('Internal error', { cause: error }));
      return { ...rpc(id), error: { code: INTERNAL_ERROR, message: 'Internal error' } };
    }
  };

  return {
    start: (header, body, signal) => {
      const call = readPlainCall(header, body);
      if (call === undefined) return undefined;
      const tool = findTool(call);
      // guard: plain-call-needs-no-approval
      if (tool === undefined || mayAsk(tool, call.input)) return undefined;
      const message = run(tool, call, signal).then((value) => JSON.stringify(value));
      return call.isCurrent
        ? { headers: JSON_HEADERS, isStream: false, body: message }
        : {
            headers: EVENT_HEADERS,
            isStream: true,
            body: message.then((text) => `event: message\ndata: ${text}\n\n`),
          };
    },
  };
}

const rpc = (id: string | number): { jsonrpc: '2.0'; id: string | number } => ({
  jsonrpc: '2.0',
  id,
});
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

const JSON_HEADERS = { 'content-type': 'application/json' };

/** Older versions are answered with an event stream of one event, as by the SDK. */
const EVENT_HEADERS = {
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  'content-type': 'text/event-stream',
  'x-accel-buffering': 'no',
};

function withServerInfo(
  result: Readonly<Record<string, unknown>>,
  serverInfo: { readonly name: string; readonly version: string },
): Record<string, unknown> {
  const key = `${ENVELOPE}serverInfo`;
  const own = isRecord(result['_meta']) ? result['_meta'] : {};
  const _meta = own[key] === undefined ? { ...own, [key]: serverInfo } : own;
  return { ...result, resultType: 'complete', _meta };
}

/** The version of the protocol whose requests carry their envelope. */
const CURRENT = '2026-07-28';
const OLDER: readonly (string | undefined)[] = [
  undefined,
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
];

const ENVELOPE = 'io.modelcontextprotocol/';

/** A name that a header carries as it is. */
const HEADER_NAME = /^[\w.:/-]{1,200}$/;

export function readPlainCall(header: HeaderOf, body: unknown): PlainCall | undefined {
  const accept = header('accept') ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream'))
    return undefined;
  if (header('mcp-session-id') !== undefined || header('content-encoding') !== undefined) {
    return undefined;
  }
  if (!isRecord(body) || !hasOnly(body, ['jsonrpc', 'id', 'method', 'params'])) return undefined;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isRecord(params)) return undefined;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return undefined;
  if (!hasOnly(params, ['name', 'arguments', '_meta'])) return undefined;
  const { name, arguments: input = {}, _meta } = params;
  if (typeof name !== 'string' || !isJsonObject(input)) return undefined;
  if (Object.hasOwn(input, '__proto__')) return undefined;
  const isCurrent = header('mcp-protocol-version') === CURRENT;
  const isPlain = isCurrent
    ? header('mcp-method') === method &&
      header('mcp-name') === name &&
      HEADER_NAME.test(name) &&
      isPlainEnvelope(_meta)
    : OLDER.includes(header('mcp-protocol-version')) &&
      header('mcp-method') === undefined &&
      header('mcp-name') === undefined &&
      !Object.hasOwn(params, '_meta');
  if (!isPlain) return undefined;
  return { id: typeof id === 'string' ? id : Number(id), name, input, isCurrent };
}

/** Whether an envelope names its version and client, and asks for nothing else. */
function isPlainEnvelope(meta: unknown): boolean {
  if (!isRecord(meta)) return false;
  const names = ['protocolVersion', 'clientInfo', 'clientCapabilities'];
  if (
    !hasOnly(
      meta,
      names.map((one) => ENVELOPE + one),
    )
  )
    return false;
  if (meta[`${ENVELOPE}protocolVersion`] !== CURRENT) return false;
  const client = meta[`${ENVELOPE}clientInfo`];
  const capabilities = meta[`${ENVELOPE}clientCapabilities`];
  return (
    isRecord(client) &&
    hasOnly(client, ['name', 'version']) &&
    typeof client['name'] === 'string' &&
    typeof client['version'] === 'string' &&
    isRecord(capabilities) &&
    // A client that can be asked may be asked about what the call sends.
    hasOnly(capabilities, ['sampling']) &&
    Object.values(capabilities).every((one) => isRecord(one) && hasOnly(one, []))
  );
}

/** Whether an object has no own members but these. */
function hasOnly(value: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return Object.keys(value).every((key) => names.includes(key));
}
