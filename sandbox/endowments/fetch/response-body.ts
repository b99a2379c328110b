import type { ByteSource } from '../../wire/streams.js';
import { ownBytes } from '../bytes.js';
import { wrapStream } from '../streams/readable-stream.js';
import {
  enqueue,
  finish,
  makeStreamState,
  start,
  type StreamState,
} from '../streams/stream-state.js';
import type { Body } from './body.js';
import type { Exchange } from './exchange.js';
import { toNetworkError } from './network-error.js';

/** A response's body out of what the wire delivers, read from there only when plugin code reads. */
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
 * Plugins often look at a status and never at the body: such a stream would stay open with the host
 * for as long as the guest lives. Once nothing can read it any more, it is cancelled.
 */
function watchUnread(state: StreamState, source: ByteSource, exchange: Exchange): void {
  unread.register(state, () => {
    source.cancel('unread');
    exchange.end();
  });
}

const unread = new FinalizationRegistry<() => void>((giveUp) => giveUp());
