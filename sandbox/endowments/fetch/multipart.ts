import { indexOfBytes, joinBytes } from '../bytes.js';
import type { TextCapability } from '../endowment.js';
import { blobs, decodeUtf8 } from './blob.js';
import type { FormEntry } from './form-data.js';

/** Encodes a form as `multipart/form-data`. The content type names the boundary. */
export function encodeMultipart(
  form: readonly FormEntry[],
  power: TextCapability,
): { readonly bytes: Uint8Array; readonly type: string } {
  const parts = form.map(([name, value]) => encodePart(name, value, power));
  const boundary = findBoundary(parts, power);
  const pieces = parts.flatMap(({ head, content }) => [
    power.encode(`--${boundary}\r\n${head}\r\n\r\n`),
    content,
    power.encode('\r\n'),
  ]);
  pieces.push(power.encode(`--${boundary}--\r\n`));
  return { bytes: joinBytes(pieces), type: `multipart/form-data; boundary=${boundary}` };
}

interface Part {
  readonly head: string;
  readonly content: Uint8Array;
}

function encodePart(name: string, value: string | object, power: TextCapability): Part {
  const disposition = `Content-Disposition: form-data; name="${escapeName(breakLines(name))}"`;
  if (typeof value === 'string') {
    return { head: disposition, content: power.encode(breakLines(value)) };
  }
  const { bytes, type, file } = blobs.demand(value);
  const fileName = escapeName(file?.name ?? 'blob');
  const label = type === '' ? 'application/octet-stream' : type;
  return {
    head: `${disposition}; filename="${fileName}"\r\nContent-Type: ${label}`,
    content: bytes,
  };
}

function breakLines(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n');
}

function escapeName(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}

/**
 * A line that occurs in no part. It is counted, not random: the plugin can read it and may have no
 * randomness permission.
 */
function findBoundary(parts: readonly Part[], power: TextCapability): string {
  for (let number = 0; ; number += 1) {
    const boundary = `----BulkheadFormBoundary${number}`;
    const mark = power.encode(boundary);
    const isFree = parts.every(
      ({ head, content }) => !head.includes(boundary) && indexOfBytes(content, mark, 0) === -1,
    );
    if (isFree) return boundary;
  }
}

/** One part of a received form. */
interface FormPart {
  readonly name: string;
  readonly fileName: string | undefined;
  readonly type: string;
  readonly content: Uint8Array;
}

/** Parses `multipart/form-data`. Returns `undefined` if it is malformed. */
export function parseMultipart(
  bytes: Uint8Array,
  boundary: string,
  power: TextCapability,
): FormPart[] | undefined {
  const opening = power.encode(`--${boundary}`);
  const delimiter = power.encode(`\r\n--${boundary}`);
  const first = indexOfBytes(bytes, opening, 0);
  if (first === -1) return undefined;

  const parts: FormPart[] = [];
  let at = first + opening.length;
  while (!startsWith(bytes, at, DASH, DASH)) {
    if (!startsWith(bytes, at, CR, LF)) return undefined;
    const headEnd = indexOfBytes(bytes, BLANK_LINE, at);
    if (headEnd === -1) return undefined;
    const contentStart = headEnd + BLANK_LINE.length;
    // The content of an empty part starts with the delimiter's line break.
    const contentEnd = indexOfBytes(bytes, delimiter, contentStart);
    if (contentEnd === -1) return undefined;
    const head = parseHead(decodeUtf8(bytes.subarray(at, headEnd), power));
    if (head === undefined) return undefined;
    parts.push({ ...head, content: bytes.subarray(contentStart, contentEnd) });
    at = contentEnd + delimiter.length;
  }
  return parts;
}

/** The boundary in a content type. */
export function readBoundary(contentType: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  return quoted ?? plain;
}

const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;
const BLANK_LINE: Uint8Array = new Uint8Array([CR, LF, CR, LF]);

function startsWith(bytes: Uint8Array, at: number, one: number, other: number): boolean {
  return bytes[at] === one && bytes[at + 1] === other;
}

function parseHead(head: string): Omit<FormPart, 'content'> | undefined {
  let name: string | undefined;
  let fileName: string | undefined;
  let type = '';
  for (const line of head.split('\r\n')) {
    const disposition = /^content-disposition:\s*form-data\s*;(.*)$/i.exec(line)?.[1];
    if (disposition !== undefined) {
      name = readParameter(disposition, 'name');
      fileName = readParameter(disposition, 'filename');
    }
    type = /^content-type:\s*(.*?)\s*$/i.exec(line)?.[1] ?? type;
  }
  return name === undefined ? undefined : { name, fileName, type };
}

function readParameter(disposition: string, parameter: string): string | undefined {
  for (const [, key, value] of disposition.matchAll(/\s*([\w*-]+)="([^"]*)"\s*(?:;|$)/g)) {
    if (key?.toLowerCase() === parameter) {
      return value?.replaceAll('%0A', '\n').replaceAll('%0D', '\r').replaceAll('%22', '"');
    }
  }
  return undefined;
}
