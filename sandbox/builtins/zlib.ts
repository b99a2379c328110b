import type { Z_FlushMode } from 'pako';
import { Buffer } from './buffer.js';
import { always } from './compartment-globals.js';
import { offer } from './denied.js';
import { Transform } from './stream.js';
import { type Codec, FLUSH, type Format, makeCodec, type ZlibOptions } from './zlib-codec.js';

const FORMATS: readonly Format[] = [
  'gzip',
  'deflate',
  'deflateRaw',
  'gunzip',
  'inflate',
  'inflateRaw',
  'unzip',
];

const NOTHING = new Uint8Array();

type Callback = (error: unknown, result?: Buffer) => void;

function toBytes(input: unknown): Uint8Array {
  if (typeof input === 'string') return Buffer.from(input);
  if (input instanceof ArrayBuffer) return new Uint8Array(input);
  if (ArrayBuffer.isView(input)) {
    return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  }
  const error = new TypeError(
    'The "buffer" argument must be of type string, Buffer, TypedArray, DataView or ArrayBuffer.',
  );
  throw Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' });
}

function convert(format: Format, input: unknown, options?: ZlibOptions): Buffer {
  return Buffer.concat([...makeCodec(format, options).push(toBytes(input), FLUSH.finish)]);
}

function convertLater(format: Format) {
  return (input: unknown, ...rest: readonly [ZlibOptions | Callback, Callback?]): void => {
    const [first, callback = first] = rest;
    if (typeof callback !== 'function') {
      throw new TypeError('The "callback" argument must be of type function.');
    }
    const options = typeof first === 'function' ? undefined : first;
    const bytes = toBytes(input);
    always('queueMicrotask')(() => {
      let result: Buffer;
      try {
        result = convert(format, bytes, options);
      } catch (error) {
        callback(error);
        return;
      }
      callback(null, result);
    });
  };
}

/** By stream, also for an object that an older class made a stream with `Inflate.call(this)`. */
const codecs = new WeakMap<object, Codec>();

/** Prepares a new stream, or such an object, with the fields that packages use of Node's. */
function begin(stream: ZlibStream, format: Format, options: ZlibOptions = {}): void {
  const codec = makeCodec(format, options);
  codecs.set(stream, codec);
  stream.bytesWritten = 0;
  stream._chunkSize = options.chunkSize ?? constants['Z_DEFAULT_CHUNK'] ?? 0;
  stream._outOffset = 0;
  stream._writeState = new Uint32Array(2);
  stream._handle = makeHandle(codec, stream._writeState);
}

/** The part of Node's internal object that packages use, such as pngjs for images of a known size. */
interface Handle {
  /** Leaves the free bytes of the output and the unread bytes of the input in the stream's `_writeState`. */
  writeSync(
    flush: Z_FlushMode,
    input: Uint8Array | null | undefined,
    at: number,
    length: number,
    output: Uint8Array,
    outputAt: number,
    outputLength: number,
  ): void;
  close(): void;
}

function makeHandle(codec: Codec, result: Uint32Array): Handle {
  /** What did not fit into the output yet. */
  let rest: Uint8Array = NOTHING;
  return {
    writeSync: (flush, input, at, length, output, outputAt, outputLength) => {
      if (length > 0 || rest.length === 0) {
        const bytes = input?.subarray(at, at + length) ?? NOTHING;
        rest = Buffer.concat([rest, ...codec.push(bytes, flush)]);
      }
      const taken = Math.min(outputLength, rest.length);
      output.set(rest.subarray(0, taken), outputAt);
      rest = rest.subarray(taken);
      result[0] = outputLength - taken;
      result[1] = 0;
    },
    close: () => {
      rest = NOTHING;
    },
  };
}

/** A stream of one format. `close` and `flush` are those of Node. */
class ZlibStream extends Transform {
  declare bytesWritten: number;
  declare _chunkSize: number;
  declare _outOffset: number;
  declare _writeState: Uint32Array;
  declare _handle: Handle | null;

  constructor(format: Format, options?: ZlibOptions) {
    super(options);
    begin(this, format, options);
  }

  override _transform(chunk: Uint8Array, _: string, done: (error?: unknown) => void): void {
    this.bytesWritten += chunk.length;
    pushInto(this, toBytes(chunk), FLUSH.none, done);
  }

  override _flush(done: (error?: unknown) => void): void {
    pushInto(this, NOTHING, FLUSH.finish, done);
  }

  /** Writes out what was compressed so far. */
  flush(kind?: Z_FlushMode | (() => void), done?: () => void): void {
    const mode = typeof kind === 'number' ? kind : FLUSH.full;
    const after = typeof kind === 'function' ? kind : done;
    pushInto(this, NOTHING, mode, (error) => {
      if (error !== undefined) this.destroy(error);
      after?.();
    });
  }

  close(done?: () => void): void {
    if (done !== undefined) this.once('close', done);
    this.destroy();
  }

  get _outBuffer(): Buffer {
    const made = outBuffers.get(this) ?? Buffer.alloc(this._chunkSize);
    outBuffers.set(this, made);
    return made;
  }

  set _outBuffer(buffer: Buffer) {
    outBuffers.set(this, buffer);
  }
}

/** Most streams need none. */
const outBuffers = new WeakMap<object, Buffer>();

function pushInto(
  stream: ZlibStream,
  bytes: Uint8Array,
  flush: Z_FlushMode,
  done: (error?: unknown) => void,
): void {
  try {
    for (const part of codecs.get(stream)?.push(bytes, flush) ?? []) stream.push(part);
  } catch (error) {
    done(error);
    return;
  }
  done();
}

/** The class of Node's name, such as `Gzip`, which may be called without `new` or for an object of a subclass, and its functions. */
function membersOf(format: Format): Readonly<Record<string, unknown>> {
  const name = `${format.charAt(0).toUpperCase()}${format.slice(1)}`;
  const Named = class extends ZlibStream {
    constructor(options?: ZlibOptions) {
      super(format, options);
    }
  };
  Object.defineProperty(Named, 'name', { value: name });
  const callable = new Proxy(Named, {
    apply: (made, self: unknown, [options]) => {
      if (!(self instanceof Named)) return new made(options);
      Reflect.apply(Transform, self, [options]);
      begin(self, format, options);
      return undefined;
    },
  });
  return {
    [name]: callable,
    [`create${name}`]: (options?: ZlibOptions) => new Named(options),
    [`${format}Sync`]: (input: unknown, options?: ZlibOptions) => convert(format, input, options),
    [format]: convertLater(format),
  };
}

const constants: Readonly<Record<string, number>> = Object.freeze({
  Z_NO_FLUSH: 0,
  Z_PARTIAL_FLUSH: 1,
  Z_SYNC_FLUSH: 2,
  Z_FULL_FLUSH: 3,
  Z_FINISH: 4,
  Z_BLOCK: 5,
  Z_OK: 0,
  Z_STREAM_END: 1,
  Z_NEED_DICT: 2,
  Z_ERRNO: -1,
  Z_STREAM_ERROR: -2,
  Z_DATA_ERROR: -3,
  Z_MEM_ERROR: -4,
  Z_BUF_ERROR: -5,
  Z_VERSION_ERROR: -6,
  Z_NO_COMPRESSION: 0,
  Z_BEST_SPEED: 1,
  Z_BEST_COMPRESSION: 9,
  Z_DEFAULT_COMPRESSION: -1,
  Z_FILTERED: 1,
  Z_HUFFMAN_ONLY: 2,
  Z_RLE: 3,
  Z_FIXED: 4,
  Z_DEFAULT_STRATEGY: 0,
  Z_MIN_WINDOWBITS: 8,
  Z_MAX_WINDOWBITS: 15,
  Z_DEFAULT_WINDOWBITS: 15,
  Z_MIN_CHUNK: 64,
  Z_MAX_CHUNK: Number.POSITIVE_INFINITY,
  Z_DEFAULT_CHUNK: 16_384,
  Z_MIN_MEMLEVEL: 1,
  Z_MAX_MEMLEVEL: 9,
  Z_DEFAULT_MEMLEVEL: 8,
  Z_MIN_LEVEL: -1,
  Z_MAX_LEVEL: 9,
  Z_DEFAULT_LEVEL: -1,
});

const POLYNOMIAL = 0xed_b8_83_20;
let table: Int32Array | undefined;

function crcTable(): Int32Array {
  table ??= Int32Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? POLYNOMIAL : 0);
    return value;
  });
  return table;
}

function crc32(input: unknown, start = 0): number {
  const found = crcTable();
  let value = ~start;
  for (const byte of toBytes(input)) value = (value >>> 8) ^ (found[(value ^ byte) & 255] ?? 0);
  return ~value >>> 0;
}

/** `node:zlib` in the plugin's own JavaScript. Brotli and Zstandard are absent. */
export const builtin: object = offer('zlib', {
  ...constants,
  constants,
  crc32,
  ...Object.assign({}, ...FORMATS.map(membersOf)),
});
