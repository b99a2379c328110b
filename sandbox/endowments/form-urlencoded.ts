import type { TextCapability } from './endowment.js';

/** Encodes pairs of well-formed text as `application/x-www-form-urlencoded`. */
export function formEncode(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`).join('&');
}

function encodePart(text: string): string {
  if (PLAIN.test(text)) return text;
  return encodeURIComponent(text).replace(/%20|[!'()~]/g, (mark) => ENCODED[mark] ?? mark);
}

const PLAIN = /^[\w*.-]*$/;
const ENCODED: Readonly<Record<string, string>> = {
  '%20': '+',
  '!': '%21',
  "'": '%27',
  '(': '%28',
  ')': '%29',
  '~': '%7E',
};

/** Decodes `application/x-www-form-urlencoded`. Never fails: invalid escapes stay unchanged. */
export function formDecode(
  encoded: string,
  power: TextCapability,
): [name: string, value: string][] {
  return encoded
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      return at === -1
        ? [decodePart(part, power), '']
        : [decodePart(part.slice(0, at), power), decodePart(part.slice(at + 1), power)];
    });
}

function decodePart(part: string, power: TextCapability): string {
  const text = part.replaceAll('+', ' ');
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return decodeLoosely(text, power);
  }
}

/**
 * Decodes text that `decodeURIComponent` rejects: invalid escapes, and bytes that are not UTF-8.
 */
function decodeLoosely(text: string, power: TextCapability): string {
  const raw = power.encode(text);
  const bytes = new Uint8Array(raw.length);
  let size = 0;
  for (let at = 0; at < raw.length; at += 1) {
    const escaped = raw[at] === PERCENT ? parseHex(raw[at + 1], raw[at + 2]) : undefined;
    bytes[size] = escaped ?? raw[at] ?? 0;
    size += 1;
    if (escaped !== undefined) at += 2;
  }
  const decoder = power.decoder('utf-8', { fatal: false, ignoreBOM: true });
  return decoder?.decode(bytes.subarray(0, size), false) ?? '';
}

const PERCENT = 0x25;

function parseHex(high: number | undefined, low: number | undefined): number | undefined {
  const digits = String.fromCharCode(high ?? 0, low ?? 0);
  return /^[\da-f]{2}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined;
}
