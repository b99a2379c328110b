import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HeaderOf, PlainAnswer, PlainCalls } from '../adapters/mcp/plain-calls.js';
import { admit, type OperatorDoor, type RequestHead } from './operator.js';
import type { RequestSlots } from './request-slots.js';
import type { RequestRecord, Route } from './route.js';

/**
 * Answers a request of Node's server without making a `Request` of it. Returns `undefined` if the request
 * is not plain. Resolves with whether it was answered: if not, its body was read and is in `rawBody`,
 * where the ordinary way finds it. Calls `markBusy` when the caller is accepted.
 */
export type PlainListener = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  markBusy: () => void,
) => Promise<boolean> | undefined;

export interface PlainListenerSpec {
  readonly routes: readonly Route[];
  readonly door: OperatorDoor;
  readonly slots: RequestSlots;
  readonly maxBodyBytes: number;
  readonly onRequest?: (record: RequestRecord) => void;
}

/** Milliseconds after which the head of an event stream is sent, before its event. */
const EARLY_HEAD_MS = 250;

/** Milliseconds between comments of an event stream that waits. */
const KEEP_ALIVE_MS = 15_000;

export function makePlainListener(spec: PlainListenerSpec): PlainListener {
  const { door, slots, maxBodyBytes } = spec;
  const plainRoutes = new Map(
    spec.routes.flatMap((route) =>
      route.plainCalls !== undefined && typeof route.access !== 'string'
        ? [[route.path, { roles: route.access, calls: route.plainCalls }]]
        : [],
    ),
  );

  return (incoming, outgoing, markBusy) => {
    const { method = '', url = '', headers } = incoming;
    const found = plainRoutes.get(url);
    if (found === undefined || method !== 'POST') return undefined;
    const length = Number(headers['content-length']);
    if (!(length <= maxBodyBytes) || headers.expect !== undefined) return undefined;
    const header: HeaderOf = (name) => {
      const value = headers[name];
      return typeof value === 'string' ? value : value?.join(', ');
    };
    // What is refused is refused once more, and answered, in the ordinary way.
    if (!isAdmitted({ method, headers: { get: (name) => header(name) ?? null } }, found.roles)) {
      return undefined;
    }
    // guard: plain-call-takes-slot
    const release = slots.acquire();
    if (release === undefined) return undefined;
    markBusy();
    return answer(incoming, outgoing, { header, length, url, release, calls: found.calls });
  };

  function isAdmitted(head: RequestHead, roles: Parameters<typeof admit>[1]): boolean {
    try {
      // guard: plain-call-admitted
      admit(head, roles, door);
      return true;
    } catch {
      return false;
    }
  }

  async function answer(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    request: PlainRequest,
  ): Promise<boolean> {
    const startedAt = performance.now();
    try {
      const raw = await readWhole(incoming, request.length);
      if (raw === undefined) return true;
      const abort = new AbortController();
      const started = request.calls.start(request.header, parse(raw), abort.signal);
      if (started === undefined) {
        Object.assign(incoming, { rawBody: raw });
        return false;
      }
      outgoing.once('close', () => {
        // guard: plain-call-aborted
        if (!outgoing.writableFinished) abort.abort();
      });
      await write(started, outgoing);
      spec.onRequest?.({
        method: 'POST',
        path: request.url,
        route: request.url,
        status: 200,
        durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      });
      return true;
    } finally {
      request.release();
    }
  }
}

async function write(
  { headers, isStream, body }: PlainAnswer,
  outgoing: ServerResponse,
): Promise<void> {
  let keepAlive: NodeJS.Timeout | undefined;
  const early = setTimeout(() => {
    if (!isStream) return;
    outgoing.writeHead(200, headers);
    outgoing.flushHeaders();
    keepAlive = setInterval(() => outgoing.write(': keepalive\n\n'), KEEP_ALIVE_MS);
  }, EARLY_HEAD_MS);
  const text = await body;
  clearTimeout(early);
  clearInterval(keepAlive);
  if (!outgoing.headersSent) {
    outgoing.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(text) });
  }
  outgoing.end(text);
}

interface PlainRequest {
  readonly header: HeaderOf;
  readonly length: number;
  readonly url: string;
  readonly calls: PlainCalls;
  readonly release: () => void;
}

/** The body, which Node's parser limits to its declared length; `undefined` if the client went away. */
function readWhole(incoming: IncomingMessage, length: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('end', () => {
      const [first] = chunks;
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length));
    });
    incoming.once('close', () => resolve(undefined));
    incoming.once('error', () => resolve(undefined));
  });
}

/** `undefined` for what is not JSON. */
function parse(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return undefined;
  }
}
