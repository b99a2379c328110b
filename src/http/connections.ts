import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of a server, of which there are never more than so many. */
export interface Connections {
  /** From now until it is answered somebody is served on it who may be: it is not hung up on. */
  hold(request: IncomingMessage, response: ServerResponse): void;
}

/**
 * Where there would be one too many, the one goes that has served nobody for longest: whoever connects
 * and then says nothing, or says it slowly, keeps nobody out.
 */
export function limitConnections(server: Server, max: number): Connections {
  // In the order in which they came, or were last of use.
  const idle = new Set<Socket>();
  /** How many are served on each of the others. */
  const held = new Map<Socket, number>();

  server.on('connection', (socket: Socket) => {
    if (idle.size + held.size >= max) {
      const [longest = socket] = idle;
      idle.delete(longest);
      longest.destroy();
      if (longest === socket) return;
    }
    idle.add(socket);
    socket.once('close', () => {
      idle.delete(socket);
      held.delete(socket);
    });
  });

  return {
    hold: ({ socket }, response) => {
      if (socket.destroyed || response.closed) return;
      idle.delete(socket);
      held.set(socket, (held.get(socket) ?? 0) + 1);
      response.once('close', () => {
        const others = (held.get(socket) ?? 0) - 1;
        if (others > 0) return held.set(socket, others);
        if (held.delete(socket)) idle.add(socket);
        return undefined;
      });
    },
  };
}
