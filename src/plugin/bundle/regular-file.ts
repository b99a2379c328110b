import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type BigIntStats,
} from 'node:fs';
import { BulkheadError } from '../../errors.js';
import { stampOf } from './evidence.js';

/**
 * Reads a regular file. Opening never blocks (a FIFO without a writer) and never follows a link that
 * replaced the file. The opened file must still be at that path: if a link replaces one of its
 * directories meanwhile, this throws.
 */
export function readRegularFile(
  absolute: string,
  path: string,
  maxBytes: number,
): {
  readonly content: Buffer;
  readonly stamp: string;
  /** Milliseconds since its last change when it was opened. */
  readonly ageMs: number;
} {
  const descriptor = openSync(
    absolute,
    constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0),
  );
  try {
    const nowMs = Date.now();
    const opened = fstatSync(descriptor, { bigint: true });
    // guard: source-is-regular-file
    if (!opened.isFile() || !isStillThere(descriptor, opened, absolute)) throw outside(path);
    if (opened.size > maxBytes) throw capReached(`bytes in ${path}`, maxBytes);
    const content = readAll(descriptor, { path, bytes: Number(opened.size), maxBytes });
    return { content, stamp: stampOf(opened), ageMs: nowMs - Number(opened.ctimeMs) };
  } finally {
    closeSync(descriptor);
  }
}

function isStillThere(descriptor: number, opened: BigIntStats, absolute: string): boolean {
  // Linux knows the path of an open file. On other systems, two checks of the path replace that.
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === absolute;
    } catch {
      // /proc is not mounted.
    }
  }
  const now = lstatSync(absolute, { bigint: true });
  return now.ino === opened.ino && now.dev === opened.dev && realpathSync(absolute) === absolute;
}

interface Expected {
  readonly path: string;
  readonly bytes: number;
  readonly maxBytes: number;
}

function readAll(descriptor: number, { path, bytes: expected, maxBytes }: Expected): Buffer {
  const parts: Buffer[] = [];
  let total = 0;
  // One more than expected, so that the second read finds the end.
  let room = expected + 1;
  for (;;) {
    const part = Buffer.allocUnsafe(room);
    const bytes = readSync(descriptor, part, 0, part.length, null);
    if (bytes === 0) return Buffer.concat(parts, total);
    total += bytes;
    // The file may grow while it is read.
    if (total > maxBytes) throw capReached(`bytes in ${path}`, maxBytes);
    parts.push(part.subarray(0, bytes));
    room = total > expected ? GROWN_BYTES : expected + 1 - total;
  }
}

/** What is read at once of a file that has grown. */
const GROWN_BYTES = 64 * 1024;

export function outside(path: string): BulkheadError<'OUTSIDE_PLUGIN'> {
  return new BulkheadError(
    'OUTSIDE_PLUGIN',
    `"${path}" leads out of the plugin's directory. Copy the file into the directory.`,
    { path },
  );
}

export function capReached(what: string, max: number): BulkheadError<'BUNDLE_FAILED'> {
  const message = `The plugin's sources exceed the limit of ${max} ${what}.`;
  return new BulkheadError('BUNDLE_FAILED', message, {
    problems: [
      { message, remedy: 'Bundle fewer or smaller files, or raise the limit in the host.' },
    ],
  });
}
