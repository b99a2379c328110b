import type { SyncReply } from './endowments/endowment.js';
import { CodedError, makeFailure, WireError } from './wire/failure.js';
import { isRecord } from './wire/json.js';
import type { Json } from './wire/messages.js';
import { type Parcel, type ParcelSpec, writeParcel } from './wire/sync.js';

export interface SyncRequestsSpec extends ParcelSpec {
  readonly exchange?: (parcel: Uint8Array) => Parcel;
  readonly number?: number;
}

const NO_BODY = new Uint8Array(0);

/** Makes the function that sends a synchronous request and returns the host's parcel. */
export function makeSyncRequests(
  spec: SyncRequestsSpec,
): (method: string, params: Json, body?: Uint8Array) => Parcel {
  const { exchange, number: by = 0 } = spec;
  return (method, params, body = NO_BODY) => {
    if (exchange === undefined) {
      throw new CodedError('FILESYSTEM_FAILED', 'this guest has no synchronous requests');
    }
    return exchange(writeParcel({ by, method, params }, body, spec));
  };
}

/** Throws the host's failure as an error. */
export function readSyncAnswer({ json, body }: Parcel): SyncReply {
  const answer = isRecord(json) ? json : {};
  const { failure, value } = answer;
  if (!isRecord(failure)) {
    return { value: value ?? null, body };
  }
  const { name, message, code } = failure;
  throw new WireError(
    makeFailure(textOf(name), textOf(message), {
      code: typeof code === 'string' ? code : undefined,
    }),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : 'Error';
}
