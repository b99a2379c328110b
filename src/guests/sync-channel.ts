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
interface SyncPipe {
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

/** Answers a guest's synchronous requests, one at a time. */
export function serveSyncChannel({ pipe, serve, onViolation }: SyncChannelSpec): void {
  let pieces: Buffer[] = [];
  let length = 0;
  let isAnswering = false;
  let isBroken = false;
  const violate = (detail: string): void => {
    isBroken = true;
    pieces = [];
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
      const { value, body: content } = await serve(by, method, (params ?? null) as Json, body);
      reply = parcel({ value: JSON.parse(JSON.stringify(value ?? null)) }, content);
    } catch (error) {
      reply = parcel({ failure: { ...describeFailure(error) } });
    }
    isAnswering = false;
    pipe.write(reply);
  };

  const take = (): void => {
    if (length < PARCEL_HEADER_BYTES) return;
    const all = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
    pieces = [all];
    const { jsonBytes, bodyBytes } = readParcelHeader(all);
    const end = PARCEL_HEADER_BYTES + jsonBytes + bodyBytes;
    if (length < end) return;
    // A guest waits for its answer, so that nothing follows a request.
    // guard: one-sync-request
    if (length > end) return violate('it sent more than one synchronous request at once');
    pieces = [];
    length = 0;
    isAnswering = true;
    const { json, body } = readParcel(all.subarray(PARCEL_HEADER_BYTES), jsonBytes, utf8);
    void answer(json, body);
  };

  pipe.on('error', () => {});
  pipe.on('data', (bytes: Buffer) => {
    if (isBroken) return;
    if (isAnswering) return violate('it sent a synchronous request before the answer to its last');
    pieces.push(bytes);
    length += bytes.length;
    try {
      take();
    } catch (error) {
      violate(error instanceof Error ? error.message : 'a malformed parcel');
    }
  });
}

function parcel(json: Json, body: Uint8Array = new Uint8Array(0)): Uint8Array {
  return writeParcel(json, body, { utf8, allocate: (bytes) => Buffer.allocUnsafe(bytes) });
}
