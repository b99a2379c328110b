/** A file of an archive. */
export interface ArchiveFile {
  /** Segments of `A-Za-z0-9._@-` without a leading dot, separated by `/`; at most 100 characters. */
  readonly name: string;
  readonly content: Uint8Array;
}

const BLOCK = 512;

/** Stops an archive that fills the host's memory. Sources have at most 32 MB. */
export const MAX_ARCHIVE_BYTES: number = 256 * 1024 * 1024;

/**
 * Writes a tar archive (ustar) in its one canonical form: sorted names, mode 0644, no owner, no time, and two
 * blocks of zeros at the end. `tar tf` lists it. Equal files give equal bytes on each machine.
 */
export function writeArchive(files: readonly ArchiveFile[]): Uint8Array {
  const parts = files
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, content }) => [
      makeHeader(name, content.length),
      content,
      Buffer.alloc(paddingOf(content.length)),
    ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/**
 * Reads an archive that `writeArchive` wrote. Throws an `Error` with the reason for any other bytes, so that
 * one hash stands for one content.
 */
export function readArchive(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  if (bytes.length > MAX_ARCHIVE_BYTES) throw new Error('it is larger than 256 MiB');
  const files = new Map<string, Uint8Array>();
  let at = 0;
  let last = '';
  while (!isZero(bytes, at, at + BLOCK)) {
    const header = bytes.subarray(at, at + BLOCK);
    const name = textAt(header, 0, NAME_BYTES);
    const size = Number.parseInt(textAt(header, SIZE_AT, 12), 8);
    if (!NAME.test(name) || !Number.isSafeInteger(size) || size < 0) {
      throw new Error(`the header at byte ${at} is not valid`);
    }
    // guard: archive-is-canonical
    if (!sameBytes(header, makeHeader(name, size)) || name <= last) {
      throw new Error(`the header of ${name} is not in the canonical form`);
    }
    const end = at + BLOCK + size;
    const next = end + paddingOf(size);
    if (next > bytes.length || !isZero(bytes, end, next)) {
      throw new Error(`the file ${name} is cut, or its padding is not zero`);
    }
    files.set(name, bytes.subarray(at + BLOCK, end));
    last = name;
    at = next;
  }
  if (bytes.length !== at + 2 * BLOCK || !isZero(bytes, at, bytes.length)) {
    throw new Error('it does not end with two blocks of zeros');
  }
  return files;
}

const NAME_BYTES = 100;
const SIZE_AT = 124;
const CHECKSUM_AT = 148;

const NAME = /^(?=.{1,100}$)[\w@][\w.@-]*(?:\/[\w@][\w.@-]*)*$/;

function makeHeader(name: string, size: number): Uint8Array {
  if (!NAME.test(name)) throw new Error(`${JSON.stringify(name)} is not a name for an archive`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 'latin1');
  header.write('0000644\0', 100, 'latin1');
  header.write('0000000\0', 108, 'latin1');
  header.write('0000000\0', 116, 'latin1');
  header.write(`${size.toString(8).padStart(11, '0')}\0`, SIZE_AT, 'latin1');
  header.write('00000000000\0', 136, 'latin1');
  header.write('        ', CHECKSUM_AT, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, CHECKSUM_AT, 'latin1');
  return header;
}

function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  const text = Buffer.from(bytes.subarray(at, at + length)).toString('latin1');
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

/** Whether the range is in the bytes and has only zeros. */
function isZero(bytes: Uint8Array, from: number, to: number): boolean {
  if (to > bytes.length) throw new Error('it is cut');
  for (let at = from; at < to; at += 1) if (bytes[at] !== 0) return false;
  return true;
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
