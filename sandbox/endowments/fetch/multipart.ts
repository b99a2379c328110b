import { indexOfBytes, joinBytes } from '../bytes.js';
import type { TextPower } from '../endowment.js';
import { blobs } from './blob.js';
import type { FormEntry } from './form-data.js';

/** A form as `multipart/form-data`: its bytes, and the content type that names the boundary. */
export function encodeMultipart(
  form: readonly FormEntry[],
  power: TextPower,
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

function encodePart(name: string, value: string | object, power: TextPower): Part {
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
 * A line that none of the parts holds. It is counted out, and not drawn by lot as elsewhere: a
 * plugin can read it, and may not have been granted randomness.
 */
function findBoundary(parts: readonly Part[], power: TextPower): string {
  for (let number = 0; ; number += 1) {
    const boundary = `----BulkheadFormBoundary${number}`;
    const mark = power.encode(boundary);
    const isFree = parts.every(
      ({ head, content }) => !head.includes(boundary) && indexOfBytes(content, mark, 0) === -1,
    );
    if (isFree) return boundary;
  }
}
