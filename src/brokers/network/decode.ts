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

/** Undoes one content coding, at the pace at which the result is pulled. */
export type Decode = (source: ByteSource) => ByteSource;

/**
 * The decoders for a `content-encoding` header, in the order to apply them; `undefined` where it
 * names none or one that we do not know, and the body is passed on as it is.
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
// What is cut short is given as far as it goes, as browsers and curl do.
const lenient = { chunkSize, flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const lenientBrotli = {
  chunkSize,
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

const gunzip: Decode = (source) => decode(source, () => createGunzip(lenient));
// Servers send both zlib's format and the bare one as `deflate`; the first byte tells.
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
    // Whoever pulls sees the error below; nobody else needs to.
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

/** Until there is something to read, or nothing ever again. */
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
