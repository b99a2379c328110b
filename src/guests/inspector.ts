import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { isRecord } from '../../sandbox/wire/json.js';
import { BulkheadError, messageOf } from '../errors.js';
import { reserveOwnPort } from '../own-ports.js';
import type { Machine } from './walls/machine.js';

/** A debugger's way to each guest. */
export interface InspectorSpec {
  /** The port of 127.0.0.1 on which the host listens; 0: one that is free. */
  readonly port: number;
  /** Called with the address for a debugger when a guest waits for one. Who knows it can run code in the guest. */
  readonly onListening: (url: string) => void;
}

/** A machine whose guests can be inspected: Node's permission model refuses it. Every other wall stays. */
export function withoutPermissionModel(machine: Machine): Machine {
  return { ...machine, permissionFlag: undefined };
}

/** Bytes of one message of a debugger or of V8. Sources and heap snapshots come in such messages. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Stands between a guest and the debuggers of this machine, one at a time. */
export interface InspectorRelay {
  /** Resolves when a debugger has set its breakpoints and lets the guest run. Rejects if none can connect. */
  readonly released: Promise<void>;
  close(): void;
}

/**
 * Listens for a debugger, and passes the messages of the Chrome DevTools Protocol between it and the guest's own
 * relay, each as a line. The path of the address is a random name.
 */
export function relayInspector(
  { port, onListening }: InspectorSpec,
  guest: Duplex,
): InspectorRelay {
  const path = `/${randomUUID()}`;
  const http = createServer((_, response) => void response.writeHead(404).end());
  let debug: WebSocket | undefined;
  let release = (): void => {};
  let fail: (error: unknown) => void = () => {};
  const released = new Promise<void>((resolve, reject) => {
    release = resolve;
    fail = reject;
  });
  released.catch(() => {});

  const connected = (socket: WebSocket): void => {
    debug = socket;
    socket.on('message', (data) => {
      const message: unknown = parse(Buffer.isBuffer(data) ? data.toString() : '');
      if (!isRecord(message)) return socket.close(INVALID_DATA);
      guest.write(`${JSON.stringify(message)}\n`);
      if (message['method'] === 'Runtime.runIfWaitingForDebugger') release();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      debug = undefined;
      guest.write('\n');
    });
  };
  const lines = makeLines(
    (line) => debug?.send(line),
    () => debug?.close(TOO_BIG),
  );
  guest.on('data', lines);
  guest.on('error', () => {});

  http.on('error', (error) => fail(cannotListen(port, error)));
  // A debugger alone keeps no host alive; its call does.
  http.unref();
  void import('ws').then(({ WebSocketServer }) => {
    const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
    http.on('upgrade', (request, socket, head) => {
      // guard: inspector-path-unguessable
      if (request.url !== path || debug !== undefined) return void socket.destroy();
      server.handleUpgrade(request, socket, head, connected);
    });
    http.listen(port, '127.0.0.1', () => {
      const address = http.address();
      const at = typeof address === 'object' ? (address?.port ?? port) : port;
      http.once('close', reserveOwnPort(at));
      onListening(`ws://127.0.0.1:${at}${path}`);
    });
  }, fail);

  return {
    released,
    close: () => {
      debug?.terminate();
      http.close();
    },
  };
}

const INVALID_DATA = 1007;
const TOO_BIG = 1009;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Cuts the guest's bytes into lines. A line that is too long ends the debugger's connection. */
function makeLines(take: (line: string) => void, onTooLong: () => void): (bytes: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  return (bytes) => {
    for (let rest = bytes; rest.length > 0;) {
      const end = rest.indexOf(0x0a);
      const part = end < 0 ? rest : rest.subarray(0, end);
      rest = end < 0 ? rest.subarray(rest.length) : rest.subarray(end + 1);
      length += part.length;
      if (length <= MAX_MESSAGE_BYTES) parts.push(part);
      else parts = [];
      if (end < 0) continue;
      if (length > MAX_MESSAGE_BYTES) onTooLong();
      else take(Buffer.concat(parts).toString());
      parts = [];
      length = 0;
    }
  };
}

function cannotListen(port: number, cause: Error): BulkheadError<'INVALID_OPTIONS'> {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `No debugger can connect, because port ${port} cannot be used: ${messageOf(cause)}. Name another port, or 0 for a free one.`,
    { option: 'inspector' },
    { cause },
  );
}
