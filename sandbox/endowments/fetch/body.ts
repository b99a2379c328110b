import { cloneBytes, copyBytes, joinBytes, viewBytes } from '../bytes.js';
import type { TextCapability } from '../endowment.js';
import { formEncode } from '../form-urlencoded.js';
import { makeStream, streams, wrapStream } from '../streams/readable-stream.js';
import {
  acquire,
  cancel,
  enqueue,
  finish,
  read,
  type StreamState,
} from '../streams/stream-state.js';
import { teeStream } from '../streams/tee.js';
import { searchParams } from '../url-search-params.js';
import { isObject, toScalarText } from '../web-idl.js';
import { blobs, streamBytes } from './blob.js';
import { forms } from './form-data.js';
import { encodeMultipart } from './multipart.js';
import { networkError } from './network-error.js';

/** The body of a request or response. It can be read once. */
export interface Body {
  /** All bytes, if they are in memory. Internal: never passed to plugin code. */
  readonly bytes: Uint8Array | undefined;
  /** A ReadableStream. Always present without `bytes`; with them, created on first use. */
  stream: object | undefined;
  /** Whether `bytes` were read without a stream. */
  used: boolean;
}

/** Reads a body argument, with its content type. */
export function readBody(
  value: unknown,
  power: TextCapability,
): { readonly body: Body; readonly type: string | undefined } {
  if (isObject(value)) {
    const stream = streams.read(value);
    if (stream !== undefined) {
      if (stream.disturbed || stream.reader !== undefined) {
        throw new TypeError('The stream has been read from already, or is locked');
      }
      return { body: { bytes: undefined, stream: value, used: false }, type: undefined };
    }
    const blob = blobs.read(value);
    if (blob !== undefined) {
      return { body: whole(blob.bytes), type: blob.type === '' ? undefined : blob.type };
    }
    const params = searchParams.read(value);
    if (params !== undefined) {
      const type = 'application/x-www-form-urlencoded;charset=UTF-8';
      return { body: whole(power.encode(formEncode(params.list))), type };
    }
    const form = forms.read(value);
    if (form !== undefined) {
      const { bytes, type } = encodeMultipart(form.list, power);
      return { body: whole(bytes), type };
    }
    const copy = copyBytes(value);
    if (copy !== undefined) return { body: whole(copy), type: undefined };
  }
  return { body: whole(power.encode(toScalarText(value))), type: 'text/plain;charset=UTF-8' };
}

function whole(bytes: Uint8Array): Body {
  return { bytes, stream: undefined, used: false };
}

export function isUsed(body: Body): boolean {
  return body.used || streams.read(body.stream)?.disturbed === true;
}

export function isLocked(body: Body): boolean {
  return streams.read(body.stream)?.reader !== undefined;
}

/** The body as a ReadableStream, always the same one. */
export function openBody(body: Body): object {
  if (body.stream === undefined) {
    body.stream = streamBytes(body.used ? new Uint8Array(0) : (body.bytes ?? new Uint8Array(0)));
    if (body.used) void cancel(streams.demand(body.stream), undefined);
  }
  return body.stream;
}

/** Splits an unread body into two of the same bytes. The original is then used. */
export function splitBody(body: Body): [Body, Body] {
  if (body.bytes !== undefined && body.stream === undefined) {
    return [whole(body.bytes), whole(body.bytes)];
  }
  const copy = (chunk: unknown): unknown => copyBytes(chunk) ?? chunk;
  const [one, other] = teeStream(streams.demand(body.stream), copy);
  return [
    { bytes: undefined, stream: wrapStream(one), used: false },
    { bytes: undefined, stream: wrapStream(other), used: false },
  ];
}

/** Moves a body to a new owner. Returns it and the used body for the old owner. */
export function takeBody(body: Body): [taken: Body, spent: Body] {
  if (isUsed(body) || isLocked(body)) throw new TypeError('The body has been read already');
  if (body.bytes !== undefined && body.stream === undefined) {
    return [whole(body.bytes), { ...whole(body.bytes), used: true }];
  }
  const state = streams.demand(body.stream);
  const reader = acquire(state);
  const stream = makeStream({
    highWaterMark: 0,
    sizeOf: () => 1,
    pull: async (to) => {
      const result = await read(reader);
      if (result.done) finish(to);
      else enqueue(to, result.value);
    },
    cancel: (reason) => cancel(state, reason),
  });
  state.disturbed = true;
  return [{ bytes: undefined, stream, used: false }, body];
}

/**
 * Reads a body to its end, into an array that the caller owns. Rejects with a TypeError if it was
 * read before, and with `NETWORK_LIMIT` if it is longer than `maxBytes`.
 */
export async function collectBody(body: Body | undefined, maxBytes: number): Promise<Uint8Array> {
  if (body === undefined) return new Uint8Array(0);
  if (isUsed(body) || isLocked(body)) throw new TypeError('The body has been read already');
  if (body.bytes !== undefined && body.stream === undefined) {
    body.used = true;
    return cloneBytes(body.bytes);
  }
  return gatherStream(streams.demand(body.stream), maxBytes);
}

async function gatherStream(stream: StreamState, maxBytes: number): Promise<Uint8Array> {
  const reader = acquire(stream);
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const result = await read(reader);
    if (result.done) return joinBytes(parts);
    const part = viewBytes(result.value);
    if (part === undefined) {
      throw giveUp(stream, new TypeError('The stream of a body gives something else than bytes'));
    }
    size += part.length;
    if (size > maxBytes) {
      const message = `The body is longer than ${maxBytes} bytes`;
      throw giveUp(stream, networkError('NETWORK_LIMIT', message));
    }
    parts.push(part);
  }
}

function giveUp(stream: StreamState, error: Error): Error {
  cancel(stream, error).catch(() => undefined);
  return error;
}
