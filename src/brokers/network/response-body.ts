import { once } from 'node:events';
import {
  type BrotliDecompress,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type Gunzip,
  type Inflate,
  type InflateRaw,
} from 'node:zlib';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import type { BulkheadError } from '../../errors.js';
import type { Response } from './exchange.js';
import { type Header, without } from './request.js';
import type { NetworkLimits } from '../limits.js';
import type { Refusals } from './refusals.js';

/**
 * The body for a plugin: decompressed, with the cap at every stage, because the data between two
 * codings can be a bomb too. Headers about the encoded body are removed. HEAD requests and some
 * statuses have no body.
 */
export function bodyOf(
  response: Response,
  method: string,
  limits: NetworkLimits,
  refusals: Refusals,
): { readonly headers: readonly Header[]; readonly body: ByteSource | undefined } {
  const { head } = response;
  if (method === 'HEAD' || BODILESS.has(head.status)) {
    return { headers: head.headers, body: undefined };
  }
  const limit = (source: ByteSource): ByteSource =>
    limitBytes(source, limits.maxResponseBytes, () =>
      refusals.limit('maxResponseBytes', 'its answer is too long'),
    );
  // Several header lines form one list.
  const codings = head.headers.filter(([name]) => name === 'content-encoding');
  const decoders = decodersFor(codings.map(([, value]) => value).join());
  let body = limit(response.body);
  if (decoders === undefined) return { headers: head.headers, body };
  // guard: content-coding-cap
  if (decoders.length > limits.maxContentCodings) {
    throw refusals.limit('maxContentCodings', 'its answer has too many nested encodings');
  }
  // guard: decoded-byte-cap
  for (const unpack of decoders) body = limit(unpack(body));
  return { headers: without(head.headers, ['content-encoding', 'content-length']), body };
}

const BODILESS = new Set([101, 204, 205, 304]);

/** Limits the bytes of a source. */
function limitBytes(
  source: ByteSource,
  maxBytes: number,
  tooMany: () => BulkheadError,
): ByteSource {
  let passed = 0;
  return {
    pull: async () => {
      const bytes = await source.pull();
      passed += bytes?.length ?? 0;
      // guard: response-byte-cap
      if (passed > maxBytes) {
        source.cancel('too long');
        throw tooMany();
      }
      return bytes;
    },
    cancel: (reason) => source.cancel(reason),
  };
}

/** Decodes one content coding as the result is pulled. */
export type Decode = (source: ByteSource) => ByteSource;

/**
 * The decoders for a `content-encoding` header, in order; `undefined` for an absent or unknown
 * coding. The body is then passed unchanged.
 */
export function decodersFor(contentEncoding: string): readonly Decode[] | undefined {
  const decoders: Decode[] = [];
  for (const coding of contentEncoding.toLowerCase().split(',')) {
    const name = coding.trim();
    if (name === '' || name === 'identity') continue;
    const decoder = DECODERS.get(name);
    if (decoder === undefined) return undefined;
    decoders.unshift(decoder);
  }
  return decoders.length === 0 ? undefined : decoders;
}

type Unpacker = Gunzip | Inflate | InflateRaw | BrotliDecompress;

const chunkSize = 64 * 1024;
// A truncated body is decoded as far as possible, as browsers and curl do.
const lenient = { chunkSize, flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const lenientBrotli = {
  chunkSize,
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

const gunzip: Decode = (source) => decode(source, () => createGunzip(lenient));
// Servers send both zlib's format and the raw one as `deflate`. The first byte differs.
const inflate: Decode = (source) =>
  decode(source, (first) =>
    (first & 0x0f) === 8 ? createInflate(lenient) : createInflateRaw(lenient),
  );
const unbrotli: Decode = (source) => decode(source, () => createBrotliDecompress(lenientBrotli));

const DECODERS: ReadonlyMap<string, Decode> = new Map([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  ['br', unbrotli],
]);

function decode(source: ByteSource, make: (firstByte: number) => Unpacker): ByteSource {
  let unpacker: Unpacker | undefined;
  let cancelled = false;

  const feed = async (first: Uint8Array, into: Unpacker): Promise<void> => {
    for (let chunk: Uint8Array | undefined = first; chunk !== undefined;) {
      if (!into.write(chunk)) await once(into, 'drain');
      chunk = await source.pull();
    }
    into.end();
  };

  const start = async (): Promise<Unpacker | undefined> => {
    const first = await source.pull();
    if (first === undefined || cancelled) return undefined;
    const made = make(first[0] ?? 0);
    // `pull` below throws the error.
    made.on('error', () => source.cancel('it cannot be decompressed'));
    feed(first, made).catch((error: unknown) =>
      made.destroy(error instanceof Error ? error : undefined),
    );
    return made;
  };

  return {
    pull: async () => {
      unpacker ??= await start();
      if (unpacker === undefined) return undefined;
      for (;;) {
        if (cancelled || unpacker.readableEnded) return undefined;
        if (unpacker.errored !== null) throw unpacker.errored;
        const bytes: unknown = unpacker.read();
        if (bytes instanceof Uint8Array) return bytes;
        await changed(unpacker);
      }
    },
    cancel: (reason) => {
      cancelled = true;
      unpacker?.destroy();
      source.cancel(reason);
    },
  };
}

/** Resolves when there are bytes to read, or when the source has ended. */
function changed(stream: Unpacker): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of EVENTS) stream.off(event, done);
      resolve();
    };
    for (const event of EVENTS) stream.on(event, done);
  });
}

const EVENTS = ['readable', 'end', 'error', 'close'] as const;
