import { cloneBytes, copyBytes, joinBytes, viewBytes } from '../bytes.js';
import type { TextPower } from '../endowment.js';
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

/** What a request or response carries. It can be read once. */
export interface Body {
  /** The whole of it, where it lies in memory; never handed out. */
  readonly bytes: Uint8Array | undefined;
  /** A ReadableStream: always there without `bytes`, and with them once plugin code asked for it. */
  stream: object | undefined;
  /** Its bytes were read, without a stream. */
  used: boolean;
}

/** Reads what a plugin gives as a body, with the content type that goes with it. */
export function readBody(
  value: unknown,
  power: TextPower,
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

/** The body as a ReadableStream, the same one every time. */
export function openBody(body: Body): object {
  if (body.stream === undefined) {
    body.stream = streamBytes(body.used ? new Uint8Array(0) : (body.bytes ?? new Uint8Array(0)));
    if (body.used) void cancel(streams.demand(body.stream), undefined);
  }
  return body.stream;
}

/** Two bodies of the same bytes, out of one that was not read; the one given is spent. */
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

/** Moves a body out of what held it: the one to go on with, and the spent one to leave there. */
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
 * Reads a body to its end, into an array that is the caller's. Rejects with a TypeError where it
 * was read before, and of code `NETWORK_LIMIT` where it is longer than `maxBytes`.
 */
export async function gatherBody(body: Body | undefined, maxBytes: number): Promise<Uint8Array> {
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
