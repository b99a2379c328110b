import type { ByteSource } from '../../wire/streams.js';
import { copyBytes } from '../bytes.js';
import { streams } from '../streams/readable-stream.js';
import { acquire, cancel, read } from '../streams/stream-state.js';
import { type Body, isLocked, isUsed } from './body.js';
import type { Exchange } from './exchange.js';

/**
 * A request's body as the wire pulls it: a plugin's stream is read no faster than the host takes
 * it. What a plugin's stream throws stops the exchange; the wire is told that it broke off, and not
 * in the plugin's words, which may be no words at all.
 */
export function sendBody(body: Body, exchange: Exchange): ByteSource {
  if (isUsed(body) || isLocked(body)) throw new TypeError('The body has been read already');
  if (body.bytes !== undefined && body.stream === undefined) {
    body.used = true;
    return sendBytes(body.bytes);
  }
  const stream = streams.demand(body.stream);
  const reader = acquire(stream);
  const leave = (reason: unknown): void => {
    cancel(stream, reason).catch(() => undefined);
  };
  exchange.onStop(() => leave(exchange.stopped?.reason));
  return {
    pull: async () => {
      const chunk = await read(reader).catch((error: unknown) => {
        exchange.stop(error);
        throw brokenOff();
      });
      if (exchange.stopped !== undefined) throw brokenOff();
      if (chunk.done) return undefined;
      const bytes = copyBytes(chunk.value);
      if (bytes !== undefined) return bytes;
      exchange.stop(new TypeError('The stream of a body gives something else than bytes'));
      throw brokenOff();
    },
    cancel: () => leave(new TypeError('The host takes no more of the body')),
  };
}

function sendBytes(bytes: Uint8Array): ByteSource {
  let sent = bytes.length === 0;
  return {
    pull: async () => {
      if (sent) return undefined;
      sent = true;
      return bytes;
    },
    cancel: () => {
      sent = true;
    },
  };
}

function brokenOff(): Error {
  return new Error('The body of the request broke off');
}
