import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import type { ByteSource } from '../../../sandbox/wire/streams.js';
import type { NetworkLimits } from './limits.js';
import type { Refusals } from './refusals.js';

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
  /** Whether another attempt would send the same bytes. */
  readonly replayable: boolean;
  /** The body for the next attempt; the one before must have been stopped. */
  attempt(onSent: (bytes: number) => void): UploadAttempt;
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

  const stream = (onSent: (bytes: number) => void): Readable => {
    let at = 0;
    const next = async (): Promise<Uint8Array | null> => {
      while (at >= kept.length && !now.ended) await readMore();
      const bytes = kept[at];
      // A read that outlived its attempt leaves what it got to the next one.
      if (bytes === undefined || readable.destroyed) return null;
      if (now.replayable) at += 1;
      else {
        kept.splice(0, at + 1);
        at = 0;
      }
      onSent(bytes.length);
      return bytes;
    };
    const readable = new Readable({
      highWaterMark: 1,
      read: () => {
        next().then(
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
    lookAhead: async () => {
      const readAhead = async (): Promise<void> => {
        while (!now.ended && now.replayable) await readMore();
      };
      // An error comes again, to whoever sends: the stream stays broken.
      await Promise.race([readAhead().catch(() => {}), delay(LOOK_AHEAD_MS)]);
    },
    get replayable() {
      return now.replayable;
    },
    attempt: (onSent) => {
      if (now.ended && now.replayable) {
        const body = Buffer.concat(kept);
        onSent(body.length);
        return { body, complete: true, stop: () => {} };
      }
      const body = stream(onSent);
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
