import { Deflate, Inflate, type Z_FlushMode, type Z_Strategy } from 'pako';
import { Buffer } from './buffer.js';

export type Format =
  | 'gzip'
  | 'deflate'
  | 'deflateRaw'
  | 'gunzip'
  | 'inflate'
  | 'inflateRaw'
  | 'unzip';

export interface ZlibOptions {
  readonly level?: number;
  readonly memLevel?: number;
  readonly strategy?: Z_Strategy;
  readonly windowBits?: number;
  readonly chunkSize?: number;
  readonly dictionary?: Uint8Array | ArrayBuffer;
  readonly finishFlush?: Z_FlushMode;
  readonly maxOutputLength?: number;
}

export const FLUSH = { none: 0, full: 3, finish: 4 } as const;

/** One stream of bytes that is compressed or decompressed. */
export interface Codec {
  /** Returns what the bytes made. Throws Node's errors. */
  push(bytes: Uint8Array, flush: Z_FlushMode): readonly Buffer[];
}

/** Bits of the window and of the format, as zlib's `inflateInit2` takes them. */
const WINDOWS: Readonly<Record<string, number>> = { gunzip: 16, inflate: 0, unzip: 32 };
const DEFAULT_WINDOW = 15;
const ERRORS: Readonly<Record<number, string>> = {
  2: 'Z_NEED_DICT',
  [-2]: 'Z_STREAM_ERROR',
  [-3]: 'Z_DATA_ERROR',
  [-4]: 'Z_MEM_ERROR',
  [-5]: 'Z_BUF_ERROR',
};
const BUFFER_ERROR = -5;

/** Least and greatest values, as in Node. An inflating stream may leave the window to the data, with 0. */
const RANGES = {
  chunkSize: [64, Number.POSITIVE_INFINITY],
  level: [-1, 9],
  memLevel: [1, 9],
  strategy: [0, 4],
  windowBits: [9, 15],
} as const;

function checkRanges(options: ZlibOptions, isInflating: boolean): void {
  for (const [name, [least, most]] of Object.entries(RANGES)) {
    const value: unknown = Reflect.get(options, name);
    if (value === undefined || (isInflating && name === 'windowBits' && value === 0)) continue;
    if (typeof value === 'number' && value >= least && value <= most) continue;
    const range = most === Number.POSITIVE_INFINITY ? '' : ` and <= ${most}`;
    const error = new RangeError(
      `The value of "options.${name}" is out of range. It must be >= ${least}${range}. Received ${typeof value === 'number' ? value : typeof value}`,
    );
    throw Object.assign(error, { code: 'ERR_OUT_OF_RANGE' });
  }
}

export function makeCodec(format: Format, options: ZlibOptions = {}): Codec {
  const { maxOutputLength = Number.POSITIVE_INFINITY, finishFlush = FLUSH.finish } = options;
  const isWhole = finishFlush === FLUSH.finish;
  const isInflating = format === 'unzip' || /^(?:gun|in)/.test(format);
  checkRanges(options, isInflating);
  const engine = isInflating ? makeInflate(format, options) : makeDeflate(format, options);
  let made: Buffer[] = [];
  let length = 0;
  engine.onData = (chunk) => {
    length += chunk.length;
    if (length > maxOutputLength) throw tooLarge(maxOutputLength);
    made.push(Buffer.from(chunk));
  };
  let isEnded = false;
  engine.onEnd = () => {
    isEnded = true;
  };
  return {
    push: (bytes, flush) => {
      made = [];
      // Bytes after the end are not looked at, as in Node.
      if (!isEnded) engine.push(bytes, flush === FLUSH.finish ? finishFlush : flush);
      const { err, msg } = engine;
      const isCutOff =
        err === BUFFER_ERROR || (isInflating && !isEnded && flush === FLUSH.finish && isWhole);
      if (isCutOff) throw zlibError(BUFFER_ERROR, 'unexpected end of file');
      if (err < 0 || err > 1) throw zlibError(err, msg);
      return made;
    },
  };
}

function makeInflate(format: Format, options: ZlibOptions): Inflate {
  const { windowBits = DEFAULT_WINDOW, chunkSize, dictionary } = options;
  const isRaw = format === 'inflateRaw';
  return new Inflate({
    raw: isRaw,
    windowBits: isRaw ? windowBits : (windowBits || DEFAULT_WINDOW) + (WINDOWS[format] ?? 0),
    ...(chunkSize === undefined ? {} : { chunkSize }),
    ...(dictionary === undefined ? {} : { dictionary }),
  });
}

function makeDeflate(format: Format, options: ZlibOptions): Deflate {
  const { level, memLevel, strategy, windowBits, chunkSize, dictionary } = options;
  return new Deflate({
    gzip: format === 'gzip',
    raw: format === 'deflateRaw',
    ...(level === undefined ? {} : { level }),
    ...(memLevel === undefined ? {} : { memLevel }),
    ...(strategy === undefined ? {} : { strategy }),
    ...(windowBits === undefined ? {} : { windowBits }),
    ...(chunkSize === undefined ? {} : { chunkSize }),
    ...(dictionary === undefined ? {} : { dictionary }),
  });
}

function zlibError(errno: number, message: string): Error {
  const code = ERRORS[errno] ?? 'Z_ERRNO';
  return Object.assign(new Error(message === '' ? code : message), { errno, code });
}

function tooLarge(limit: number): Error {
  const error = new RangeError(`Cannot create a Buffer larger than ${limit} bytes`);
  return Object.assign(error, { code: 'ERR_BUFFER_TOO_LARGE' });
}
