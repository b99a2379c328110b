import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import type { ByteSource } from '../../../sandbox/wire/streams.js';
import type { NetworkLimits } from '../limits.js';
import type { Refusals } from './refusals.js';
import { type Rewriter, rewriteSource } from './secrets/rewrite.js';

/** The body of a request. A short body is remembered, in case a redirect needs it again. */
export interface Upload {
  /**
   * Waits 10 ms for the body to end. A complete body is sent with its length, which many servers
   * require. Other bodies are sent in chunks.
   */
  lookAhead(): Promise<void>;
  /** Waits for the body to end, unless it is too long to remember. */
  gather(): Promise<void>;
  /** The body so far, when it has ended or is too long to remember. */
  look(): Promise<{ readonly bytes: Uint8Array; readonly whole: boolean }>;
  /** Whether another attempt would send the same bytes. */
  readonly replayable: boolean;
  /** The body for the next attempt, with its own rewriter. The last attempt must have stopped. */
  attempt(onSent: (bytes: number) => void, rewriter?: Rewriter): UploadAttempt;
  /** Ends the upload. */
  cancel(): void;
}

export interface UploadAttempt {
  readonly body: Buffer | Readable;
  /** Whether the connection has received all of it. */
  readonly complete: boolean;
  stop(): void;
}

export function makeUpload(source: ByteSource, limits: NetworkLimits, refusals: Refusals): Upload {
  const buffered: Uint8Array[] = [];
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
    buffered.push(bytes);
  };
  // All readers share one read, so that chunks stay in order.
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
      while (at >= buffered.length && !now.ended) await readMore();
      const bytes = buffered[at];
      // A read that outlived its attempt returns its chunk to the next attempt.
      if (bytes === undefined || readable.destroyed) return undefined;
      if (now.replayable) at += 1;
      else {
        buffered.splice(0, at + 1);
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
    // undici listens only during the request. A later error must not crash the process.
    return readable.on('error', () => {});
  };

  return {
    gather: readAhead,
    look: async () => {
      await readAhead();
      return { bytes: Buffer.concat(buffered), whole: now.ended };
    },
    lookAhead: async () => {
      // The sender gets the error again, because the stream stays broken.
      await Promise.race([readAhead().catch(() => {}), delay(LOOK_AHEAD_MS)]);
    },
    get replayable() {
      return now.replayable;
    },
    attempt: (onSent, rewriter) => {
      if (now.ended && now.replayable) {
        const whole = Buffer.concat(buffered);
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

// Guests send the end of a short body immediately after the request.
const LOOK_AHEAD_MS = 10;
