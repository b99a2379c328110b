import { isRecord } from '../../sandbox/wire/json.js';
import { makeUtf8 } from '../../sandbox/wire/framing.js';
import type { Json } from '../../sandbox/wire/messages.js';
import type { SyncValue } from '../../sandbox/wire/service.js';
import { describeFailure } from '../../sandbox/wire/streams.js';
import {
  PARCEL_HEADER_BYTES,
  readParcel,
  readParcelHeader,
  SYNC_METHODS,
  writeParcel,
} from '../../sandbox/wire/sync.js';
import { makeThrottle, type ThrottledPipe } from './throttle.js';

/**
 * Answers a synchronous request of this co-resident; 0 in a guest that holds one plugin. A rejection
 * is the guest's answer.
 */
export type SyncService = (
  by: number,
  method: string,
  params: Json,
  body: Uint8Array,
) => Promise<SyncValue>;

/** The host's end of the pipe: a socket. */
interface SyncPipe extends ThrottledPipe {
  on(event: 'error' | 'data', listener: (bytes: Buffer) => void): unknown;
  write(bytes: Uint8Array): unknown;
}

export interface SyncChannelSpec {
  readonly pipe: SyncPipe;
  readonly serve: SyncService;
  /** The guest broke the protocol. */
  readonly onViolation: (detail: string) => void;
}

const utf8 = makeUtf8(Buffer);

/**
 * Answers a guest's synchronous requests, one at a time. A guest may cut a request into single bytes:
 * each is copied once, into memory that its header announced, and the guest is read at a limited rate.
 */
export function serveSyncChannel({ pipe, serve, onViolation }: SyncChannelSpec): void {
  const header = new Uint8Array(PARCEL_HEADER_BYTES);
  let headerFill = 0;
  let content: Uint8Array | undefined;
  let contentFill = 0;
  let jsonBytes = 0;
  let isAnswering = false;
  let isBroken = false;
  const violate = (detail: string): void => {
    isBroken = true;
    content = undefined;
    onViolation(detail);
  };

  const answer = async (json: unknown, body: Uint8Array): Promise<void> => {
    const { by, method, params } = isRecord(json) ? json : {};
    // guard: sync-methods-limited
    if (typeof by !== 'number' || typeof method !== 'string' || !SYNC_METHODS.includes(method)) {
      return violate('it sent a synchronous request that is not one');
    }
    let reply: Uint8Array;
    try {
      // It was parsed from JSON.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const { value, body: answered } = await serve(by, method, (params ?? null) as Json, body);
      reply = parcel({ value: JSON.parse(JSON.stringify(value ?? null)) }, answered);
    } catch (error) {
      reply = parcel({ failure: { ...describeFailure(error) } });
    }
    isAnswering = false;
    pipe.write(reply);
  };

  const take = (bytes: Uint8Array): void => {
    let at = 0;
    if (content === undefined) {
      at = Math.min(PARCEL_HEADER_BYTES - headerFill, bytes.length);
      header.set(bytes.subarray(0, at), headerFill);
      headerFill += at;
      if (headerFill < PARCEL_HEADER_BYTES) return;
      const lengths = readParcelHeader(header);
      jsonBytes = lengths.jsonBytes;
      content = new Uint8Array(jsonBytes + lengths.bodyBytes);
      contentFill = 0;
    }
    // A guest waits for its answer, so that nothing follows a request.
    // guard: one-sync-request
    if (bytes.length - at > content.length - contentFill) {
      return violate('it sent more than one synchronous request at once');
    }
    content.set(bytes.subarray(at), contentFill);
    contentFill += bytes.length - at;
    if (contentFill < content.length) return;
    const whole = content;
    content = undefined;
    headerFill = 0;
    isAnswering = true;
    const { json, body } = readParcel(whole, jsonBytes, utf8);
    void answer(json, body);
  };

  pipe.on('error', () => {});
  const receive = (bytes: Buffer): void => {
    if (isBroken) return;
    if (isAnswering) return violate('it sent a synchronous request before the answer to its last');
    try {
      take(bytes);
    } catch (error) {
      violate(error instanceof Error ? error.message : 'a malformed parcel');
    }
  };
  // guard: sync-reads-throttled
  pipe.on('data', makeThrottle(pipe, receive));
}

function parcel(json: Json, body: Uint8Array = new Uint8Array(0)): Uint8Array {
  return writeParcel(json, body, { utf8, allocate: (bytes) => Buffer.allocUnsafe(bytes) });
}
