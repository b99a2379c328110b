import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type {
  EventStore,
  JSONRPCMessage,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { McpSdk } from './elicitation.js';

/** The sessions of clients of older versions of the protocol, over HTTP. */
export interface Sessions {
  /** Answers a request that belongs to a session, or opens one; `undefined` for any other request. */
  fetch(request: Request): Promise<Response | undefined>;
  /** Calls this for the server of each session. */
  forEach(visit: (server: Server) => void): void;
  /** Ends the streams that wait for messages. Calls in progress continue. */
  endStreams(): void;
  close(): Promise<void>;
}

export interface SessionsSpec {
  readonly mcp: McpSdk;
  readonly makeServer: () => Server;
  readonly maxSessions: number;
  readonly maxBodyBytes: number;
  /** Milliseconds without a request after which a session ends. */
  readonly idleMs: number;
  readonly now: () => number;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  readonly owner: Buffer;
  usedAt: number;
}

export function makeSessions(spec: SessionsSpec): Sessions {
  const { mcp, makeServer, maxSessions, maxBodyBytes, idleMs, now } = spec;
  const sessions = new Map<string, Session>();

  const end = (id: string): void => {
    const session = sessions.get(id);
    sessions.delete(id);
    session?.server.close().catch(() => {});
  };
  /** Ends idle sessions, and the one that was used the longest time ago if there are too many. */
  const evict = (): void => {
    // A session that is used moves to the end.
    for (const [id, { usedAt }] of sessions) {
      // guard: mcp-sessions-capped
      if (now() - usedAt < idleMs && sessions.size < maxSessions) return;
      end(id);
    }
  };
  const start = async (request: Request, body: unknown): Promise<Response> => {
    evict();
    const server = makeServer();
    const owner = ownerOf(request);
    const transport = new mcp.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: makeEventStore(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, server, owner, usedAt: now() });
      },
      onsessionclosed: end,
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody: body });
    // A request that is refused opens no session.
    if (!response.ok) await server.close();
    return response;
  };

  return {
    fetch: async (request) => {
      const id = request.headers.get('mcp-session-id');
      if (id === null) {
        if (request.method !== 'POST') return undefined;
        const body = await readInitialize(mcp, request, maxBodyBytes);
        return body === undefined ? undefined : start(request, body);
      }
      const session = sessions.get(id);
      // guard: mcp-session-bound-to-caller
      if (session === undefined || !timingSafeEqual(session.owner, ownerOf(request))) {
        return refused(404, -32_001, 'Session not found');
      }
      session.usedAt = now();
      sessions.delete(id);
      sessions.set(id, session);
      if (request.method !== 'POST') return session.transport.handleRequest(request);
      const read = await mcp.readRequestBody(request, maxBodyBytes);
      if (read.tooLarge) return refused(413, -32_000, 'Payload too large');
      const body = parse(read.text);
      if (body === undefined) return refused(400, -32_700, 'Parse error');
      return session.transport.handleRequest(request, { parsedBody: body });
    },
    forEach: (visit) => {
      for (const { server } of sessions.values()) visit(server);
    },
    endStreams: () => {
      for (const { transport } of sessions.values()) transport.closeStandaloneSSEStream();
    },
    close: async () => {
      const all = [...sessions.values()];
      sessions.clear();
      await Promise.all(all.map(({ server }) => server.close().catch(() => {})));
    },
  };
}

/** Milliseconds before a client opens a stream again that was cut. */
const RETRY_MS = 1_000;

/** The body, if the request is the first of a session. */
async function readInitialize(mcp: McpSdk, request: Request, maxBytes: number): Promise<unknown> {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > maxBytes) return undefined;
  // The protocol's header is absent from the first request of a session, and present in all of the current version.
  if (request.headers.get('mcp-method') !== null) return undefined;
  const read = await mcp.readRequestBody(request.clone(), maxBytes).catch(() => undefined);
  if (read === undefined || read.tooLarge) return undefined;
  const body = parse(read.text);
  return mcp.isInitializeRequest(body) ? body : undefined;
}

/** `undefined` for what is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The credential of a request: a session answers only to the one that opened it. */
function ownerOf(request: Request): Buffer {
  return createHash('sha256')
    .update(request.headers.get('authorization') ?? '')
    .digest();
}

function refused(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}

/** Events and characters that are stored for each session, to be sent again after a cut connection. */
const MAX_EVENTS = 500;
const MAX_CHARACTERS = 2 * 1024 * 1024;

/** The last messages of a session. A client that missed older ones gets those that are left. */
export function makeEventStore(): EventStore {
  const events = new Map<string, { stream: string; message: JSONRPCMessage; size: number }>();
  let size = 0;
  let last = 0;
  return {
    storeEvent: (stream, message) => {
      last += 1;
      const id = `${stream}_${last}`;
      const one = { stream, message, size: JSON.stringify(message).length };
      events.set(id, one);
      size += one.size;
      for (const [oldest, { size: freed }] of events) {
        // guard: mcp-events-capped
        if (events.size <= MAX_EVENTS && size <= MAX_CHARACTERS) break;
        events.delete(oldest);
        size -= freed;
      }
      return Promise.resolve(id);
    },
    getStreamIdForEventId: (id) => Promise.resolve(events.get(id)?.stream),
    replayEventsAfter: async (after, { send }) => {
      const stream = events.get(after)?.stream;
      if (stream === undefined) throw new Error('the event is not stored any more');
      let isLater = false;
      const stored = [...events];
      for (const [id, event] of stored) {
        if (isLater && event.stream === stream && Object.keys(event.message).length > 0) {
          await send(id, event.message);
        }
        if (id === after) isLater = true;
      }
      return stream;
    },
  };
}
