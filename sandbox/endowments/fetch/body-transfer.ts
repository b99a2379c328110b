import type { ByteSource } from '../../wire/streams.js';
import { copyBytes, ownBytes } from '../bytes.js';
import { streams, wrapStream } from '../streams/readable-stream.js';
import {
  acquire,
  cancel,
  read,
  enqueue,
  finish,
  makeStreamState,
  start,
  type StreamState,
} from '../streams/stream-state.js';
import { type Body, isLocked, isUsed } from './body.js';
import type { Exchange } from './exchange.js';
import { toNetworkError } from './network-error.js';

/**
 * A request's body as a source for the wire, which reads a plugin's stream at the host's pace. An
 * error of the plugin's stream stops the exchange. The wire gets a neutral error, because the
 * plugin's value may not be an error.
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

/** A response's body as a stream. It reads from the wire only when plugin code reads. */
export function receiveBody(source: ByteSource, exchange: Exchange): Body {
  exchange.onStop(() => source.cancel('aborted'));
  const state = makeStreamState({
    highWaterMark: 0,
    sizeOf: () => 1,
    pull: (stream) => pull(stream, source, exchange),
    cancel: () => {
      source.cancel('cancelled');
      exchange.end();
    },
  });
  start(state, undefined);
  watchUnread(state, source, exchange);
  return { bytes: undefined, stream: wrapStream(state), used: false };
}

async function pull(stream: StreamState, source: ByteSource, exchange: Exchange): Promise<void> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = exchange.stopped === undefined ? await source.pull() : undefined;
  } catch (error) {
    exchange.end();
    throw exchange.stopped === undefined ? toNetworkError(error) : exchange.stopped.reason;
  }
  if (exchange.stopped !== undefined) throw exchange.stopped.reason;
  if (bytes !== undefined) {
    enqueue(stream, ownBytes(bytes));
    return;
  }
  exchange.end();
  finish(stream);
}

/**
 * Plugins often read the status and never the body. The host would keep such a stream open for the
 * life of the guest, so it is cancelled once it is garbage.
 */
function watchUnread(state: StreamState, source: ByteSource, exchange: Exchange): void {
  unread.register(state, () => {
    source.cancel('unread');
    exchange.end();
  });
}

const unread = new FinalizationRegistry<() => void>((giveUp) => giveUp());
