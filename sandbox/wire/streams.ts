import { makeFailure, WireError, WireViolation } from './failure.js';
import { CHUNK_BYTES, STREAM_WINDOW_BYTES, type WireLimits } from './limits.js';
import type { Message, WireFailure } from './messages.js';

/** Pull-based bytes: `pull` resolves with the next chunk, or `undefined` at the end. */
export interface ByteSource {
  pull(): Promise<Uint8Array | undefined>;
  /** The consumer does not want the rest: the producer may stop. Never throws. */
  cancel(reason: string): void;
}

export interface StreamSender {
  /** Sends the bytes of `source` as fast as the receiver reads them. Returns the stream's id. */
  open(source: ByteSource): number;
  credit(streamId: number, bytes: number): void;
  refuse(streamId: number, why: string): void;
  close(why: string): void;
}

export interface StreamOutlet {
  message(message: Message): void;
  chunk(streamId: number, bytes: Uint8Array): void;
}

interface Outgoing {
  readonly source: ByteSource;
  credit: number;
  wake: (() => void) | undefined;
  stopped: boolean;
}

/** The sending half. Sends no byte beyond the receiver's credit. */
export function makeStreamSender(outlet: StreamOutlet): StreamSender {
  const open = new Map<number, Outgoing>();
  let lastId = 0;

  const stop = (id: number, why: string): void => {
    const stream = open.get(id);
    if (stream === undefined) return;
    open.delete(id);
    stream.stopped = true;
    stream.wake?.();
    stream.source.cancel(why);
  };

  const send = async (id: number, stream: Outgoing): Promise<void> => {
    for (;;) {
      const bytes = await stream.source.pull();
      if (stream.stopped) return;
      if (bytes === undefined) break;
      for (let at = 0; at < bytes.length;) {
        while (stream.credit <= 0) {
          await new Promise<void>((resolve) => {
            stream.wake = resolve;
          });
          if (stream.stopped) return;
        }
        const size = Math.min(CHUNK_BYTES, stream.credit, bytes.length - at);
        stream.credit -= size;
        outlet.chunk(id, bytes.subarray(at, at + size));
        at += size;
      }
    }
    open.delete(id);
    outlet.message({ t: 'end', s: id });
  };

  return {
    open: (source) => {
      lastId += 1;
      const id = lastId;
      const stream: Outgoing = {
        source,
        credit: STREAM_WINDOW_BYTES,
        wake: undefined,
        stopped: false,
      };
      open.set(id, stream);
      send(id, stream).catch((error: unknown) => {
        if (!open.delete(id)) return;
        outlet.message({ t: 'end', s: id, e: describeFailure(error) });
      });
      return id;
    },
    credit: (id, bytes) => {
      const stream = open.get(id);
      // A credit may cross the end of its stream on the way.
      if (stream === undefined) return;
      stream.credit = Math.min(stream.credit + bytes, STREAM_WINDOW_BYTES);
      stream.wake?.();
    },
    refuse: stop,
    close: (why) => {
      for (const id of open.keys()) stop(id, why);
    },
  };
}

export interface StreamReceiver {
  /** Accepts a stream that the other side announced. Each id once. */
  accept(streamId: number): ByteSource;
  /** Delivers a chunk. Throws `WireViolation` if the sender exceeded its credit or the caps. */
  chunk(streamId: number, bytes: Uint8Array): void;
  end(streamId: number, failure: WireFailure | undefined): void;
  close(error: Error): void;
}

interface Incoming {
  readonly waiting: Uint8Array[];
  waitingBytes: number;
  ended: boolean;
  error: Error | undefined;
  wake: (() => void) | undefined;
  accepted: boolean;
}

/** How far a stream's id may be ahead of the others, as a multiple of `maxOpenStreams`. */
const MAX_AHEAD = 4;

/** The receiving half. Buffers at most one window of bytes for each stream. */
export function makeStreamReceiver(outlet: StreamOutlet, limits: WireLimits): StreamReceiver {
  const open = new Map<number, Incoming>();
  // Senders use their ids in order, but the first messages may arrive in any order: a chunk of one
  // stream may overtake the announcement of another. `seen` has the ids above `allSeen`.
  const seen = new Set<number>();
  let allSeen = 0;

  // A stream that was seen and is not open has ended.
  const reach = (id: number): Incoming | undefined => {
    const known = open.get(id);
    if (known !== undefined || id <= allSeen || seen.has(id)) return known;
    if (id > allSeen + MAX_AHEAD * limits.maxOpenStreams) {
      throw new WireViolation(`stream ${id} is far ahead of all others`);
    }
    // guard: open-stream-cap
    if (open.size >= limits.maxOpenStreams) {
      throw new WireViolation(`more than ${limits.maxOpenStreams} streams at once`);
    }
    seen.add(id);
    while (seen.delete(allSeen + 1)) allSeen += 1;
    const fresh: Incoming = {
      waiting: [],
      waitingBytes: 0,
      ended: false,
      error: undefined,
      wake: undefined,
      accepted: false,
    };
    open.set(id, fresh);
    return fresh;
  };

  const pull = async (id: number, stream: Incoming): Promise<Uint8Array | undefined> => {
    for (;;) {
      const bytes = stream.waiting.shift();
      if (bytes !== undefined) {
        stream.waitingBytes -= bytes.length;
        if (!stream.ended) outlet.message({ t: 'credit', s: id, n: bytes.length });
        return bytes;
      }
      if (stream.ended) {
        open.delete(id);
        if (stream.error !== undefined) throw stream.error;
        return undefined;
      }
      await new Promise<void>((resolve) => {
        stream.wake = resolve;
      });
    }
  };

  return {
    accept: (id) => {
      // The id comes from a request's params. Between two integers are endless numbers to remember.
      // guard: stream-id-is-integer
      if (!Number.isInteger(id)) throw new WireViolation(`a stream of the number ${id}`);
      const stream = reach(id);
      // guard: stream-accepted-once
      if (stream === undefined || stream.accepted) {
        throw new WireViolation(`stream ${id} is not open`);
      }
      stream.accepted = true;
      return {
        pull: () => pull(id, stream),
        cancel: (reason) => {
          if (!open.delete(id) || stream.ended) return;
          stream.ended = true;
          stream.waiting.length = 0;
          stream.wake?.();
          outlet.message({ t: 'refuse', s: id, why: reason });
        },
      };
    },
    chunk: (id, bytes) => {
      // Empty chunks use no credit, so that they could be sent without end. Honest senders send none.
      if (bytes.length === 0) throw new WireViolation(`an empty chunk of stream ${id}`);
      const stream = reach(id);
      if (stream === undefined) return;
      stream.waitingBytes += bytes.length;
      // guard: stream-credit-checked
      if (stream.ended || stream.waitingBytes > STREAM_WINDOW_BYTES) {
        throw new WireViolation(`stream ${id} overran its credit`);
      }
      enqueue(stream.waiting, bytes);
      stream.wake?.();
    },
    end: (id, failure) => {
      const stream = reach(id);
      if (stream === undefined) return;
      stream.ended = true;
      if (failure !== undefined) stream.error = new WireError(failure);
      stream.wake?.();
    },
    close: (error) => {
      for (const stream of open.values()) {
        stream.ended = true;
        stream.error ??= error;
        stream.wake?.();
      }
      open.clear();
    },
  };
}

/**
 * Queues a chunk and joins small ones: a window of single bytes would otherwise use a hundred times
 * the memory that is counted.
 */
function enqueue(waiting: Uint8Array[], bytes: Uint8Array): void {
  const last = waiting.at(-1);
  if (last === undefined || last.length + bytes.length > JOINED_BYTES) {
    waiting.push(bytes);
    return;
  }
  const joined = new Uint8Array(last.length + bytes.length);
  joined.set(last);
  joined.set(bytes, last.length);
  waiting[waiting.length - 1] = joined;
}

const JOINED_BYTES = 1024;

/** Describes an error of this side for the wire. */
export function describeFailure(error: unknown): WireFailure {
  if (!(error instanceof Error)) return makeFailure('Error', String(error));
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return makeFailure(error.name, error.message, { code });
}
