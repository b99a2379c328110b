import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The connections of a server: their limit, and their end. */
export interface Connections {
  /** The connection is not idle until the response ends: the limit does not close it. */
  markBusy(request: IncomingMessage, response: ServerResponse): void;
  /** From now on, each answer is the last of its connection, and says so. */
  endAfterAnswers(): void;
  /** Whether answers end their connections. */
  readonly isEnding: boolean;
  /**
   * The end of the time in which requests are read and not answered, while the port closes: a client
   * that calls again and again then waits, and is not in the kernel's queue, which the close resets.
   */
  readonly held: Promise<void> | undefined;
  /** Closes the port. Resolves when no connection is open. Closes those without a request. */
  whenClosed(): Promise<void>;
}

/** A connection, and what is known of its requests. */
interface Connection {
  /** Responses that have not ended. */
  readonly open: Set<ServerResponse>;
  /** When it opened, or when its last response ended. Monotonic milliseconds. */
  idleSinceMs: number;
  /** Responses of accepted callers that have not ended. */
  busy: number;
}

/**
 * Milliseconds without a request after which a connection is closed when the server stops. A client
 * that calls all the time is faster, gets an answer, and closes the connection itself.
 */
const QUIET_MS = 1_000;
const SWEEP_MS = 20;

/**
 * Tracks and limits the connections of a server. Above the limit, the connection closes that has been
 * idle for longest, so clients that send nothing, or send slowly, do not lock out others.
 */
export function trackConnections(server: HttpServer, max: number): Connections {
  /** Not busy ones are in the order in which they opened or last became idle. */
  const idle = new Set<Socket>();
  const all = new Map<Socket, Connection>();
  let isEnding = false;
  let accepted = 0;
  let held: Promise<void> | undefined;

  server.on('connection', (socket: Socket) => {
    accepted += 1;
    if (all.size >= max) {
      // guard: longest-idle-connection-dropped
      const [longest = socket] = idle;
      idle.delete(longest);
      all.delete(longest);
      longest.destroy();
      if (longest === socket) return;
    }
    all.set(socket, { open: new Set(), idleSinceMs: performance.now(), busy: 0 });
    idle.add(socket);
    socket.once('close', () => {
      idle.delete(socket);
      all.delete(socket);
    });
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = all.get(socket);
    if (isEnding) response.shouldKeepAlive = false;
    connection?.open.add(response);
    response.once('close', () => {
      connection?.open.delete(response);
      if (connection !== undefined) connection.idleSinceMs = performance.now();
    });
  });

  const closeQuiet = (): void => {
    const nowMs = performance.now();
    for (const [socket, { open, idleSinceMs }] of all) {
      // guard: open-request-not-reset
      if (open.size === 0 && nowMs - idleSinceMs >= QUIET_MS) socket.destroy();
    }
  };

  return {
    markBusy: ({ socket }, response) => {
      const connection = all.get(socket);
      if (connection === undefined || socket.destroyed || response.closed) return;
      // guard: busy-connection-not-idle
      idle.delete(socket);
      connection.busy += 1;
      response.once('close', () => {
        connection.busy -= 1;
        if (connection.busy === 0 && all.has(socket)) idle.add(socket);
      });
    },
    endAfterAnswers: () => {
      isEnding = true;
      for (const { open } of all.values()) {
        for (const response of open) response.shouldKeepAlive = false;
      }
    },
    get isEnding() {
      return isEnding;
    },
    get held() {
      return held;
    },
    whenClosed: async () => {
      let answer = (): void => {};
      held = new Promise((resolve) => {
        answer = resolve;
      });
      await acceptQueued(() => accepted);
      const sweep = setInterval(closeQuiet, SWEEP_MS);
      // The close of an HTTP server also resets kept-alive connections, which may have a request on
      // its way.
      const closed = new Promise<void>((resolve) => {
        NetServer.prototype.close.call(server, () => resolve());
      });
      held = undefined;
      answer();
      await closed;
      clearInterval(sweep);
    },
  };
}

/** Milliseconds without a new connection after which the kernel's queue counts as empty. */
const EMPTY_MS = 50;
const MAX_ACCEPT_MS = 2_000;

/**
 * Accepts the connections in the kernel's queue, which the close of the port would reset. Node accepts
 * one of them in each turn of the event loop.
 */
async function acceptQueued(accepted: () => number): Promise<void> {
  const beganMs = performance.now();
  let before = accepted();
  let sinceMs = beganMs;
  for (let nowMs = beganMs; nowMs - sinceMs < EMPTY_MS; nowMs = performance.now()) {
    if (nowMs - beganMs > MAX_ACCEPT_MS) return;
    await nextTurn();
    if (accepted() !== before) sinceMs = performance.now();
    before = accepted();
  }
}
