import { makeBrand, type Brand } from '../brand.js';
import { cloneBytes, copyBytes, joinBytes } from '../bytes.js';
import type { EndowmentCapabilities, TextCapability } from '../endowment.js';
import { perCompartment } from '../per-compartment.js';
import { makeStream } from '../streams/readable-stream.js';
import { enqueue, finish } from '../streams/stream-state.js';
import {
  demandArguments,
  isIterable,
  member,
  toOptions,
  toScalarText,
  toText,
} from '../web-idl.js';

export interface BlobState {
  /** Immutable and internal: blobs made from blobs share it. */
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly file: { readonly name: string; readonly lastModified: number } | undefined;
}

export const blobs: Brand<BlobState> = makeBrand<BlobState>('Blob');

export interface BlobClasses {
  readonly Blob: object;
  readonly File: object;
  readonly makeBlob: (bytes: Uint8Array, type: string) => object;
  readonly makeFile: (bytes: Uint8Array, type: string, name: string) => object;
}

/**
 * The compartment's `Blob` and `File`. `lastModified` defaults to 0, because the web's default is a
 * clock.
 */
export const blobClasses: (capabilities: EndowmentCapabilities) => BlobClasses = perCompartment(
  (capabilities) => {
    const make = (prototype: object, state: BlobState): object => {
      const blob: object = Object.create(prototype);
      blobs.give(blob, state);
      return blob;
    };

    class Blob {
      constructor(parts?: unknown, options?: unknown) {
        blobs.give(this, { ...readParts(parts, options, capabilities), file: undefined });
      }

      get size(): number {
        return blobs.demand(this).bytes.length;
      }
      get type(): string {
        return blobs.demand(this).type;
      }

      slice(start?: unknown, end?: unknown, type?: unknown): object {
        const { bytes } = blobs.demand(this);
        const from = start === undefined ? 0 : Number(start);
        const to = end === undefined ? bytes.length : Number(end);
        const label = type === undefined ? '' : toType(type);
        return make(Blob.prototype, {
          bytes: bytes.subarray(from, to),
          type: label,
          file: undefined,
        });
      }

      async text(): Promise<string> {
        return decodeUtf8(blobs.demand(this).bytes, capabilities.text);
      }
      async arrayBuffer(): Promise<ArrayBuffer> {
        return cloneBytes(blobs.demand(this).bytes).buffer;
      }
      async bytes(): Promise<Uint8Array> {
        return cloneBytes(blobs.demand(this).bytes);
      }
      stream(): object {
        return streamBytes(blobs.demand(this).bytes);
      }

      get [Symbol.toStringTag](): string {
        return 'Blob';
      }
    }

    class File extends Blob {
      constructor(parts: unknown, name: unknown, options?: unknown) {
        super(parts, options);
        demandArguments(arguments.length, 2, 'File');
        const modified = member(toOptions(options, 'options argument of File'), 'lastModified');
        const file = {
          name: toScalarText(name),
          lastModified: modified === undefined ? 0 : Math.trunc(Number(modified)) || 0,
        };
        blobs.give(this, { ...blobs.demand(this), file });
      }

      get name(): string {
        return demandFile(this).name;
      }
      get lastModified(): number {
        return demandFile(this).lastModified;
      }

      override get [Symbol.toStringTag](): string {
        return 'File';
      }
    }

    return {
      Blob,
      File,
      makeBlob: (bytes, type) => make(Blob.prototype, { bytes, type, file: undefined }),
      makeFile: (bytes, type, name) =>
        make(File.prototype, { bytes, type, file: { name, lastModified: 0 } }),
    };
  },
);

/** A stream of copies of immutable bytes. */
export function streamBytes(bytes: Uint8Array): object {
  let at = 0;
  return makeStream({
    highWaterMark: 0,
    sizeOf: () => 1,
    pull: (stream) => {
      const chunk = cloneBytes(bytes.subarray(at, at + STREAM_CHUNK_BYTES));
      at += chunk.length;
      if (chunk.length > 0) enqueue(stream, chunk);
      if (at >= bytes.length) finish(stream);
    },
    cancel: () => undefined,
  });
}

const STREAM_CHUNK_BYTES = 64 * 1024;

function demandFile(value: unknown): NonNullable<BlobState['file']> {
  const { file } = blobs.demand(value);
  if (file === undefined) throw new TypeError('Illegal invocation: this is not a File');
  return file;
}

function readParts(
  parts: unknown,
  options: unknown,
  { text }: EndowmentCapabilities,
): { readonly bytes: Uint8Array; readonly type: string } {
  const given = toOptions(options, 'options argument of Blob');
  const type = member(given, 'type');
  const label = type === undefined ? '' : toType(type);
  if (parts === undefined) return { bytes: new Uint8Array(0), type: label };
  if (typeof parts !== 'object' || !isIterable(parts)) {
    throw new TypeError('A Blob is made of a list of parts');
  }
  const pieces: Uint8Array[] = [];
  for (const part of parts) {
    pieces.push(blobs.read(part)?.bytes ?? copyBytes(part) ?? text.encode(toText(part)));
  }
  return { bytes: joinBytes(pieces), type: label };
}

function toType(type: unknown): string {
  const text = toText(type);
  return /^[ -~]*$/.test(text) ? text.toLowerCase() : '';
}

/** Decodes UTF-8 as the web reads bodies: skips the byte order mark and never fails. */
export function decodeUtf8(bytes: Uint8Array, power: TextCapability): string {
  const decoder = power.decoder('utf-8', { fatal: false, ignoreBOM: false });
  if (decoder === undefined) throw new TypeError('This platform has no UTF-8');
  return decoder.decode(bytes, false);
}
