import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerEventBus, Transport } from '@modelcontextprotocol/server';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { McpSdk } from './elicitation.js';
import type { Listened, ListenedResources } from './listened-resources.js';

/**
 * MCP's package answers `subscriptions/listen` by itself and tells nobody which resources a client named.
 * So the requests are read on their way to it. It gets them with the resources that were subscribed to,
 * which it confirms to the client.
 */
export interface ListenRequests {
  /** The bus that MCP's handler has to use. */
  readonly bus: ServerEventBus;
  /** Passes a request for a subscription on to MCP's handler. The signal ends the subscription too. */
  fetch(
    request: Request,
    signal: AbortSignal,
    handle: (request: Request) => Promise<Response>,
  ): Promise<Response>;
}

export interface ListenRequestsSpec {
  readonly mcp: McpSdk;
  readonly maxBodyBytes: number;
  readonly resources: ListenedResources;
  /** What changed, for every stream. */
  readonly events: ServerEventBus;
}

/** The client for whom MCP's handler opens a stream. */
interface Client {
  hasStream: boolean;
  readonly listened: Listened | undefined;
  /** A request's signal follows the client's only as long as the request is not collected. */
  readonly requests: readonly Request[];
}

export function makeListenRequests(spec: ListenRequestsSpec): ListenRequests {
  const { mcp, maxBodyBytes, resources, events } = spec;
  const opening = new AsyncLocalStorage<Client>();
  return {
    bus: {
      publish: (event) => events.publish(event),
      subscribe: (listener) => {
        const client = opening.getStore();
        if (client !== undefined) client.hasStream = true;
        const stop = events.subscribe(listener);
        return () => {
          stop();
          client?.listened?.end();
        };
      },
    },
    fetch: async (request, signal, handle) => {
      const read = await mcp.readRequestBody(request.clone(), maxBodyBytes);
      const body = read.tooLarge ? undefined : parse(read.text);
      const uris = urisOf(body);
      const listened = uris.length === 0 ? undefined : await resources.listen(uris);
      const passed = passedOn(
        request,
        AbortSignal.any([request.signal, signal]),
        listened === undefined ? request.body : JSON.stringify(withUris(body, listened.uris)),
      );
      const client: Client = { hasStream: false, listened, requests: [request, passed] };
      const response = await opening.run(client, () => handle(passed));
      // A request that is refused opens no stream.
      if (!client.hasStream) listened?.end();
      return response;
    },
  };
}

/** The same for a connection over standard input and output. Call it when MCP's server has its handlers there. */
export function readListenMessages(
  transport: Pick<Transport, 'onmessage'>,
  resources: ListenedResources,
): void {
  const { onmessage } = transport;
  /** By the id of the request. A request that is cancelled early has none any more when it is ready. */
  const clients = new Map<unknown, Listened | 'opening'>();
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no other way
  transport.onmessage = (message, extra) => {
    const { id, method, params } = {
      id: undefined,
      method: undefined,
      params: undefined,
      ...message,
    };
    if (method === 'notifications/cancelled' && isRecord(params)) {
      const client = clients.get(params['requestId']);
      clients.delete(params['requestId']);
      if (client !== undefined && client !== 'opening') client.end();
    }
    const uris = urisOf(message);
    if (uris.length === 0 || clients.has(id)) return onmessage?.(message, extra);
    clients.set(id, 'opening');
    void resources.listen(uris).then((listened) => {
      if (!clients.has(id)) return listened.end();
      clients.set(id, listened);
      onmessage?.({ ...message, ...withUris(message, listened.uris) }, extra);
    });
  };
}

/** The resources of a request to listen; empty for any other message. */
function urisOf(message: unknown): readonly string[] {
  if (!isRecord(message) || message['method'] !== 'subscriptions/listen') return [];
  const { params } = message;
  const notifications = isRecord(params) ? params['notifications'] : undefined;
  const uris = isRecord(notifications) ? notifications['resourceSubscriptions'] : undefined;
  // MCP's package refuses what is no list of texts.
  return Array.isArray(uris) && uris.every((uri) => typeof uri === 'string') ? uris : [];
}

function withUris(message: unknown, uris: readonly string[]): object {
  const { params, ...rest }: Readonly<Record<string, unknown>> = isRecord(message) ? message : {};
  const others = isRecord(params) ? params : {};
  const { notifications } = others;
  const wanted = isRecord(notifications) ? notifications : {};
  return {
    ...rest,
    params: { ...others, notifications: { ...wanted, resourceSubscriptions: uris } },
  };
}

/** The request with another signal and body. Copied field by field: servers pass their own `Request` classes. */
function passedOn(
  { url, method, headers }: Request,
  signal: AbortSignal,
  body: ReadableStream | string | null,
): Request {
  const own = new Headers(headers);
  own.delete('content-length');
  const init: RequestInit & { readonly duplex: 'half' } = {
    method,
    headers: own,
    body,
    signal,
    duplex: 'half',
  };
  return new Request(url, init);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
