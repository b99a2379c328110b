import type { ByteSource } from '../../../sandbox/wire/streams.js';

/**
 * A buffer between a producer that pushes (a socket) and a consumer that pulls (a guest):
 *
 * ```
 *   push ──►│ chunk │ chunk │ … ──► pull
 *           └── at HIGH: hold() ──── down to LOW: flow()
 * ```
 *
 * It still accepts what the producer sends before `hold` takes effect: one read of a socket.
 */
export interface Chunks {
  push(bytes: Uint8Array): void;
  end(): void;
  fail(error: unknown): void;
  readonly source: ByteSource;
}

const HIGH_BYTES = 128 * 1024;
const LOW_BYTES = 64 * 1024;
/** The overhead of a chunk. Stops a body of a hundred thousand single bytes. */
const CHUNK_COST_BYTES = 256;
/** Small chunks are joined up to this size. */
const GATHERED_BYTES = 64 * 1024;

export function makeChunks(producer: {
  /** Pause. */
  readonly hold: () => void;
  readonly flow: () => void;
  /** The consumer does not want the rest. Called at most once, and not after the end. */
  readonly stop: (reason: string) => void;
  /** The consumer starts or stops waiting for bytes. */
  readonly onWait: (waiting: boolean) => void;
}): Chunks {
  let waiting: Uint8Array[] = [];
  let cost = 0;
  let held = false;
  let ended = false;
  let cancelled = false;
  let failure: { readonly error: unknown } | undefined;
  let wake: (() => void) | undefined;

  const stir = (): void => {
    wake?.();
    wake = undefined;
  };

  const take = (): Uint8Array => {
    let bytes = 0;
    let count = 0;
    for (const chunk of waiting) {
      if (count > 0 && bytes + chunk.length > GATHERED_BYTES) break;
      bytes += chunk.length;
      count += 1;
    }
    const taken = waiting.splice(0, count);
    cost -= bytes + count * CHUNK_COST_BYTES;
    if (held && cost <= LOW_BYTES) {
      held = false;
      producer.flow();
    }
    return taken.length === 1 && taken[0] !== undefined ? taken[0] : Buffer.concat(taken, bytes);
  };

  return {
    push: (bytes) => {
      if (cancelled || bytes.length === 0) return;
      waiting.push(bytes);
      cost += bytes.length + CHUNK_COST_BYTES;
      if (!held && cost >= HIGH_BYTES) {
        held = true;
        producer.hold();
      }
      stir();
    },
    end: () => {
      ended = true;
      stir();
    },
    fail: (error) => {
      if (ended) return;
      ended = true;
      failure = { error };
      // Dropped, because the consumer could not detect the gap in the body.
      waiting = [];
      stir();
    },
    source: {
      pull: async () => {
        for (;;) {
          if (failure !== undefined) throw failure.error;
          if (waiting.length > 0) return take();
          if (ended || cancelled) return undefined;
          producer.onWait(true);
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          producer.onWait(false);
        }
      },
      cancel: (reason) => {
        if (cancelled) return;
        cancelled = true;
        waiting = [];
        stir();
        if (!ended) producer.stop(reason);
      },
    },
  };
}
