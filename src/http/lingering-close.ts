import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Milliseconds for which the rest of a request is read and discarded after the answer. The client has this
 * time to read the answer.
 */
const LINGER_MS = 2_000;

/**
 * Closes each connection in two steps if its last request was answered before it was read to its end. First
 * the server ends its half. Then the server discards what the client sends, until the request or the
 * connection ends. A close with unread bytes would reset the connection, and a reset makes the client lose
 * the answer.
 */
export function lingerAtClose(server: Server): void {
  const requests = new WeakMap<Socket, IncomingMessage>();
  server.prependListener('request', (incoming) => requests.set(incoming.socket, incoming));
  server.on('connection', (socket: Socket) => {
    const close = socket.destroySoon.bind(socket);
    let lingers = false;
    // Node calls this method after the last answer of a connection.
    socket.destroySoon = () => {
      const incoming = requests.get(socket);
      if (incoming === undefined || incoming.complete || socket.destroyed) {
        close();
      } else if (!lingers) {
        lingers = true;
        discard(socket, incoming);
      }
    };
  });
}

function discard(socket: Socket, incoming: IncomingMessage): void {
  const timer = setTimeout(() => {
    // guard: refused-upload-cut
    socket.destroy();
  }, LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  incoming.once('end', () => socket.destroySoon());
  incoming.resume();
  socket.end();
}
