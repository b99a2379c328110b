import type { IncomingRequest, SyncValue } from '../../../sandbox/wire/service.js';
import { IncomingCall } from '../../../sandbox/wire/service.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { PARCEL_LIMITS } from '../../../sandbox/wire/sync.js';
import { BulkheadError } from '../../errors.js';
import type { ByteStreams } from './request-mode.js';

/**
 * Milliseconds for a synchronous request. The guest stands still meanwhile. A read from a disk takes
 * a few milliseconds.
 */
const SYNC_REQUEST_MS = 5_000;

/** The id of the only stream of a synchronous request, in each direction. */
const BODY = 1;

export interface SyncRequest {
  readonly decide: (streams: ByteStreams, request: IncomingRequest) => unknown;
  readonly body: Uint8Array;
  /** The file that it may change, as the plugin wrote it. */
  readonly changes: string | undefined;
}

/**
 * Runs one synchronous request: its body is a stream for the gate, and the stream of the answer is
 * collected. Rejects with `FILESYSTEM_LIMIT` if the answer takes too long or is too large. A change that
 * takes too long has perhaps been made: the error says so.
 */
export async function answerNow({ decide, body, changes }: SyncRequest): Promise<SyncValue> {
  const request = new IncomingCall(0, 0);
  let answer: ByteSource | undefined;
  const streams: ByteStreams = {
    acceptStream: () => sourceOf(body),
    openStream: (source) => {
      answer = source;
      return BODY;
    },
  };
  let late: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    late = setTimeout(() => {
      const why = `it took longer than ${SYNC_REQUEST_MS} ms`;
      const error = tooMuch('syncRequestMs', why, changes);
      request.cancel(error.message);
      reject(error);
    }, SYNC_REQUEST_MS);
  });
  const work = async (): Promise<SyncValue> => {
    const value = await decide(streams, request);
    return { value, body: answer === undefined ? undefined : await collect(answer) };
  };
  try {
    return await Promise.race([work(), deadline]);
  } finally {
    clearTimeout(late);
  }
}

function sourceOf(body: Uint8Array): ByteSource {
  let rest: Uint8Array | undefined = body.length === 0 ? undefined : body;
  return {
    pull: () => {
      const chunk = rest;
      rest = undefined;
      return Promise.resolve(chunk);
    },
    cancel: () => {
      rest = undefined;
    },
  };
}

async function collect(source: ByteSource): Promise<Uint8Array> {
  const { maxBodyBytes } = PARCEL_LIMITS;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await source.pull();
    if (chunk === undefined) return Buffer.concat(chunks);
    bytes += chunk.length;
    if (bytes > maxBodyBytes) {
      const error = tooMuch('maxBodyBytes', `it is larger than ${maxBodyBytes} bytes`);
      source.cancel(error.message);
      throw error;
    }
    chunks.push(chunk);
  }
}

function tooMuch(limit: string, why: string, changes?: string): BulkheadError<'FILESYSTEM_LIMIT'> {
  const remedy =
    changes === undefined
      ? 'Use the asynchronous form: await fs.promises.readFile(path).'
      : `Its change of ${changes} has perhaps been made: read it before you try again.`;
  return new BulkheadError(
    'FILESYSTEM_LIMIT',
    `A synchronous file operation was stopped: ${why}. ${remedy}`,
    { limit },
  );
}
