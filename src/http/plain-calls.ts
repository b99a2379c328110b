import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HeaderOf, PlainAnswer, PlainCalls } from '../adapters/mcp/plain-calls.js';
import { tooLong, tooSlow } from './body.js';
import type { ServerLimits } from './limits.js';
import { admit, type OperatorDoor, type RequestHead, requireOwnName } from './operator.js';
import { HttpRefusal, JSON_HEADERS } from './refusal.js';
import { refusalOfSlots, type RequestSlots } from './request-slots.js';
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
  const invoked = new Map(
    spec.routes.flatMap(({ path, access, invoke }) =>
      invoke !== undefined && access === 'verified' ? [[path, invoke]] : [],
    ),
  );

  /** Requests that are not answered. */
  let open = 0;
  let turn: Promise<void> | undefined;

  return (incoming, outgoing, markBusy) => {
    const { method = '', url = '', headers } = incoming;
    const found = plainRoutes.get(url);
    const invoke = invoked.get(url);
    if (method !== 'POST' || (found === undefined && invoke === undefined)) return undefined;
    const length = Number(headers['content-length']);
    if (!(length <= maxBodyBytes) || !isUsual(incoming)) return undefined;
    const header: HeaderOf = (name) => {
      const value = headers[name];
      return typeof value === 'string' ? value : value?.join(', ');
    };
    const head: RequestHead = { method, headers: { get: (name) => header(name) ?? null } };
    if (invoke !== undefined) {
      // guard: plain-invocation-to-own-name
      if (!passes(() => requireOwnName(head, door.hosts))) return undefined;
      return answerInvoked(incoming, outgoing, { head, length, url, invoke, markBusy });
    }
    if (found === undefined) return undefined;
    // What is refused is refused once more, and answered, in the ordinary way.
    // guard: plain-call-admitted
    if (!passes(() => admit(head, found.roles, door))) return undefined;
    // guard: plain-call-takes-slot
    const release = slots.acquire();
    if (release === undefined) return undefined;
    markBusy();
    return answer(incoming, outgoing, { header, length, url, release, calls: found.calls });
  };

  /**
   * Resolves at the end of the event loop's turn, if other requests are open: the calls of one turn then leave in one
   * write for each guest. A write for each costs a sixth of a busy server's time.
   */
  function endOfTurn(): Promise<void> | undefined {
    if (open < 2) return undefined;
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = undefined;
        resolve();
      });
    });
    return turn;
  }

  /** Every answer is that of the handler, which also refuses. */
  async function answerInvoked(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { head, length, url, invoke, markBusy }: InvokedRequest,
  ): Promise<true> {
    const startedAt = performance.now();
    let release: (() => void) | undefined;
    open += 1;
    try {
      const { status, body, headers } = await invoke(
        {
          authorization: head.headers.get('authorization'),
          readBody: async (most) => {
            const read = await readIncoming(incoming, length, most);
            await endOfTurn();
            return read;
          },
          signal: signalOf(incoming),
        },
        (caller) => {
          release ??= slots.acquire(caller);
          // guard: plain-invocation-takes-slot
          if (release === undefined) throw refusalOfSlots(slots);
          markBusy();
        },
      );
      const text = JSON.stringify(body);
      outgoing.writeHead(status, {
        ...JSON_HEADERS,
        ...headers,
        'content-length': Buffer.byteLength(text),
      });
      outgoing.end(text);
      record(url, status, startedAt);
      return true;
    } finally {
      open -= 1;
      release?.();
    }
  }

  function record(url: string, status: number, startedAt: number): void {
    spec.onRequest?.({
      method: 'POST',
      path: url,
      route: url,
      status,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
    });
  }

  async function answer(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    request: PlainRequest,
  ): Promise<boolean> {
    const startedAt = performance.now();
    open += 1;
    try {
      const raw = await readWhole(incoming, request.length);
      if (raw === undefined) return true;
      await endOfTurn();
      const started = request.calls.start(request.header, parse(raw), signalOf(incoming));
      if (started === undefined) {
        Object.assign(incoming, { rawBody: raw });
        return false;
      }
      await write(started, outgoing);
      record(request.url, 200, startedAt);
      return true;
    } finally {
      open -= 1;
      request.release();
    }
  }
}

/** Node keeps the first of some repeated headers, and the ordinary way joins them. */
function isUsual({ headers, rawHeaders }: IncomingMessage): boolean {
  if (headers.expect !== undefined || !/^[\w.:[\]-]+$/.test(headers.host ?? '')) return false;
  const names = new Set<string>();
  // guard: plain-headers-once
  for (let at = 0; at < rawHeaders.length; at += 2) names.add(rawHeaders[at]?.toLowerCase() ?? '');
  return names.size * 2 === rawHeaders.length;
}

/** Each connection's, because a signal for each request costs a twentieth of a call. */
const ends = new WeakMap<Socket, AbortSignal>();

/** Aborts when the caller goes away. Calls that have ended do not listen any more. */
function signalOf({ socket }: IncomingMessage): AbortSignal {
  const known = ends.get(socket);
  if (known !== undefined) return known;
  const end = new AbortController();
  // guard: plain-call-aborted
  socket.once('close', () => end.abort());
  // It may have closed before.
  if (socket.destroyed) end.abort();
  ends.set(socket, end.signal);
  return end.signal;
}

/** Whether that check throws nothing. */
function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
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

interface InvokedRequest {
  readonly head: RequestHead;
  readonly length: number;
  readonly url: string;
  readonly invoke: NonNullable<Route['invoke']>;
  readonly markBusy: () => void;
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

/** Reads as `readBody` a request of Node's server whose head declares that many bytes. */
function readIncoming(
  incoming: IncomingMessage,
  length: number,
  { maxBodyBytes, bodyMs }: Pick<ServerLimits, 'maxBodyBytes' | 'bodyMs'>,
): Promise<string> {
  if (length > maxBodyBytes) return Promise.reject(tooLong(maxBodyBytes));
  // The caller went away before: there is no event any more.
  if (incoming.destroyed) return Promise.reject(notWhole());
  return new Promise((resolve, reject) => {
    // Node's parser ends the body at its declared length.
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => reject(tooSlow(bodyMs)), bodyMs);
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('end', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString());
    });
    incoming.once('close', () => {
      // A refusal is an error, and its stack costs a tenth of a call.
      if (incoming.readableEnded) return;
      clearTimeout(timer);
      reject(notWhole());
    });
  });
}

function notWhole(): HttpRefusal {
  return new HttpRefusal(400, 'The body is not whole');
}

/** `undefined` for what is not JSON. */
function parse(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return undefined;
  }
}
