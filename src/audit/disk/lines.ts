import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { START, unseal } from '../chain.js';
import type { Head } from '../record.js';
import { OLDER, type Opened, type StoredLine, auditFailed } from '../store.js';

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** The log never writes a longer line. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** The lines of a file, from the start of one line. Invalid UTF-8 becomes U+FFFD. */
export async function* readLinesOf(
  path: string,
  from: { readonly offset: number; readonly number: number } = { offset: 0, number: 1 },
): AsyncGenerator<StoredLine & { readonly end: number }> {
  const file = await open(path, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let { offset, number } = from;
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, offset + rest.length);
      if (bytesRead === 0) break;
      rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      let start = 0;
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, start)) {
        const line = rest.toString('utf8', start, end);
        offset += end + 1 - start;
        yield { line, file: path, number, end: offset };
        number += 1;
        start = end + 1;
      }
      rest = rest.subarray(start);
      if (rest.length > MAX_LINE_BYTES) break;
    }
    if (rest.length > 0) {
      yield { line: rest.toString('utf8'), file: path, number, end: offset, torn: true };
    }
  } finally {
    await file.close();
  }
}

export interface Tail {
  /** The offset of the next record, in bytes. */
  readonly size: number;
  /** The last record; `undefined` if the file is empty. */
  readonly head: Head | undefined;
  readonly torn: Opened['torn'];
}

/**
 * Finds the end of a file. A process that dies may leave an incomplete line: this removes it. A complete
 * line that is not valid was changed: the file is then `unsound`, and stays as it is.
 */
export async function mendTail(file: FileHandle): Promise<Tail | 'older' | 'unsound'> {
  const bytes = await file.readFile();
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  const rest = bytes.subarray(end);
  const last = end === 0 ? undefined : lastIn(bytes.subarray(0, end));
  if (last === 'older' || unseal(rest.toString('utf8')) === 'older') return 'older';
  if (last === 'unsound') return last;
  const complete = unseal(rest.toString('utf8'));
  if (rest.length > 0 && typeof complete === 'object') {
    // Complete, except for the line break.
    await file.write('\n', bytes.length);
    return { size: bytes.length + 1, head: complete, torn: undefined };
  }
  if (rest.length > 0) await file.truncate(end);
  const torn =
    rest.length === 0
      ? undefined
      : { bytes: rest.length, sha256: createHash('sha256').update(rest).digest('hex') };
  return { size: end, head: last, torn };
}

/** The last record of lines, of format version 2. Throws `AUDIT_FAILED` if it is not valid. */
export function headIn(bytes: Buffer, path: string): Head {
  const last = lastIn(bytes);
  if (typeof last !== 'string') return last;
  throw auditFailed(
    path,
    last === 'older'
      ? OLDER
      : 'was changed after it was written: its last record is not valid. Inspect it with `bulkhead audit verify`',
  );
}

/** The last record of lines, with or without a final line break. */
export function lastIn(bytes: Buffer): Head | 'older' | 'unsound' {
  const end = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length;
  const line = bytes.toString('utf8', bytes.lastIndexOf(NEWLINE, end - 1) + 1, end);
  const record = line === '' ? START : unseal(line);
  if (typeof record !== 'string' || record === 'older') return record;
  return 'unsound';
}
