import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import type { ByteSource } from '../../../sandbox/wire/streams.js';
import type { NetworkLimits } from './limits.js';
import type { Refusals } from './refusals.js';
import { type Rewriter, rewriteSource } from './secrets/rewrite.js';

/**
 * The body of a request: a stream that can be read once. What has been read of it is kept as long
 * as it is small, because a redirect may ask to send it again.
 */
export interface Upload {
  /**
   * Waits a moment for the body to end. One that does is sent with its length, as many servers
   * want it; any other has to be sent in chunks.
   */
  lookAhead(): Promise<void>;
  /** Waits for the body to end, as long as it is short enough to be kept. */
  gather(): Promise<void>;
  /** What there is of the body so far, once it has ended or is too long to be kept. */
  look(): Promise<{ readonly bytes: Uint8Array; readonly whole: boolean }>;
  /** Whether another attempt would send the same bytes. */
  readonly replayable: boolean;
  /**
   * The body for the next attempt; the one before must have been stopped. `rewriter` is what it
   * passes through: another one for every attempt.
   */
  attempt(onSent: (bytes: number) => void, rewriter?: Rewriter): UploadAttempt;
  /** Nobody sends it any more. */
  cancel(): void;
}

export interface UploadAttempt {
  readonly body: Buffer | Readable;
  /** Whether all of it has been handed to the connection. */
  readonly complete: boolean;
  stop(): void;
}

export function makeUpload(source: ByteSource, limits: NetworkLimits, refusals: Refusals): Upload {
  const kept: Uint8Array[] = [];
  let bytesRead = 0;
  const now = { replayable: true, ended: false };
  let cancelled = false;
  let reading: Promise<void> | undefined;

  const readChunk = async (): Promise<void> => {
    const bytes = await source.pull().catch((error: unknown) => {
      throw refusals.bodyBroke(error);
    });
    if (cancelled) throw refusals.cancelled();
    if (bytes === undefined) {
      now.ended = true;
      return;
    }
    bytesRead += bytes.length;
    if (bytesRead > limits.maxRequestBytes) {
      throw refusals.limit('maxRequestBytes', 'its body is too long');
    }
    if (bytesRead > limits.maxReplayBytes) now.replayable = false;
    kept.push(bytes);
  };
  // Looking ahead and sending share one read: chunks stay in order, whoever asked first.
  const readMore = (): Promise<void> => {
    reading ??= readChunk().finally(() => {
      reading = undefined;
    });
    return reading;
  };

  const readAhead = async (): Promise<void> => {
    while (!now.ended && now.replayable) await readMore();
  };

  const stream = (onSent: (bytes: number) => void, rewriter: Rewriter | undefined): Readable => {
    let at = 0;
    const next = async (): Promise<Uint8Array | undefined> => {
      while (at >= kept.length && !now.ended) await readMore();
      const bytes = kept[at];
      // A read that outlived its attempt leaves what it got to the next one.
      if (bytes === undefined || readable.destroyed) return undefined;
      if (now.replayable) at += 1;
      else {
        kept.splice(0, at + 1);
        at = 0;
      }
      return bytes;
    };
    const { pull } = rewriteSource({ pull: next, cancel: () => {} }, rewriter);
    const pass = async (): Promise<Uint8Array | null> => {
      const bytes = await pull();
      if (bytes !== undefined) onSent(bytes.length);
      return bytes ?? null;
    };
    const readable = new Readable({
      highWaterMark: 1,
      read: () => {
        pass().then(
          (bytes) => readable.push(bytes),
          (error: unknown) => readable.destroy(error instanceof Error ? error : undefined),
        );
      },
    });
    // undici listens while the request lasts. An error after that concerns nobody, and must not
    // end the process.
    return readable.on('error', () => {});
  };

  return {
    gather: readAhead,
    look: async () => {
      await readAhead();
      return { bytes: Buffer.concat(kept), whole: now.ended };
    },
    lookAhead: async () => {
      // An error comes again, to whoever sends: the stream stays broken.
      await Promise.race([readAhead().catch(() => {}), delay(LOOK_AHEAD_MS)]);
    },
    get replayable() {
      return now.replayable;
    },
    attempt: (onSent, rewriter) => {
      if (now.ended && now.replayable) {
        const whole = Buffer.concat(kept);
        const body =
          rewriter === undefined ? whole : Buffer.concat([rewriter.push(whole), rewriter.end()]);
        onSent(body.length);
        return { body, complete: true, stop: () => {} };
      }
      const body = stream(onSent, rewriter);
      return {
        body,
        get complete() {
          return body.readableEnded;
        },
        stop: () => body.destroy(),
      };
    },
    cancel: () => {
      cancelled = true;
      source.cancel('the request is over');
    },
  };
}

// Guests send a short body's end right behind the request. Longer ones gain nothing from a wait.
const LOOK_AHEAD_MS = 10;
