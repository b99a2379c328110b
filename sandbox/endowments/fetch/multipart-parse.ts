import { indexOfBytes } from '../bytes.js';
import type { TextPower } from '../endowment.js';
import { decodeUtf8 } from './utf8.js';

/** One part of a form that came over the network. */
export interface FormPart {
  readonly name: string;
  readonly fileName: string | undefined;
  readonly type: string;
  readonly content: Uint8Array;
}

/** Reads `multipart/form-data`; `undefined` where it is malformed. */
export function parseMultipart(
  bytes: Uint8Array,
  boundary: string,
  power: TextPower,
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
    // The content of an empty part begins with the delimiter's line break.
    const contentEnd = indexOfBytes(bytes, delimiter, contentStart);
    if (contentEnd === -1) return undefined;
    const head = parseHead(decodeUtf8(bytes.subarray(at, headEnd), power));
    if (head === undefined) return undefined;
    parts.push({ ...head, content: bytes.subarray(contentStart, contentEnd) });
    at = contentEnd + delimiter.length;
  }
  return parts;
}

/** The boundary that a content type names. */
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
