import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { START, unseal } from '../chain.js';
import { auditFailed } from '../failure.js';
import type { Head } from '../record.js';
import type { Opened } from '../store.js';

const NEWLINE = 0x0a;

export interface Tail {
  /** Where the next record goes. */
  readonly size: number;
  /** The last record; `undefined` in a file that has none. */
  readonly head: Head | undefined;
  readonly torn: Opened['torn'];
}

/**
 * Finds the end of a file. A process that dies writes a part of what it wrote last: such a rest has
 * no line break, and is taken off. A whole line that is not sound was not torn but changed, and
 * throws `AUDIT_FAILED`: whoever did that is not to be helped to hide it under new records.
 */
export async function mendTail(file: FileHandle, path: string): Promise<Tail> {
  const bytes = await file.readFile();
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  const rest = bytes.subarray(end);
  if (rest.length > 0 && typeof unseal(rest.toString('utf8')) === 'object') {
    // Whole, but for its line break.
    await file.write('\n', bytes.length);
    return { size: bytes.length + 1, head: lastIn(rest, path), torn: undefined };
  }
  if (rest.length > 0) await file.truncate(end);
  const torn =
    rest.length === 0
      ? undefined
      : { bytes: rest.length, sha256: createHash('sha256').update(rest).digest('hex') };
  return {
    size: end,
    head: end === 0 ? undefined : lastIn(bytes.subarray(0, end - 1), path),
    torn,
  };
}

/** The last record of lines. Throws `AUDIT_FAILED` where it is not sound. */
export function lastIn(bytes: Buffer, path: string): Head {
  const line = bytes.toString('utf8', bytes.lastIndexOf(NEWLINE) + 1);
  const record = line === '' ? START : unseal(line);
  if (typeof record !== 'string') return record;
  throw auditFailed(
    path,
    `is not what was written: its last record is ${record}. Look at it with \`bulkhead audit verify\`, and move it away to begin another`,
  );
}
