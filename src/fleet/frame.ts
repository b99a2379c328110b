import { isRecord } from '../../sandbox/wire/json.js';
import type { PublicKey, SigningKey } from '../keys/signing-key.js';
import { MAC_BYTES, type SessionKey } from './session.js';

/** What a signature is for. A signature for one purpose is not valid for another. */
type Purpose = 'call' | 'epoch' | 'answer' | 'powers';

const SIGNATURE_BYTES = 64;

/** The first byte of a frame: what vouches for its text. */
const SIGNED = 'S'.charCodeAt(0);
const SESSION = 'M'.charCodeAt(0);

/** A JSON text with the gateway's signature before it: `S`, 64 bytes of Ed25519, then UTF-8. */
export function sealFrame(key: SigningKey, purpose: Purpose, text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([Buffer.of(SIGNED), key.sign(signedBytes(purpose, bytes)), bytes]);
}

/** A JSON text for one runner: `M`, 32 bytes of HMAC-SHA256, then UTF-8. */
export function sealSessionFrame(key: SessionKey, text: string): Uint8Array {
  const start = 1 + MAC_BYTES;
  const frame = Buffer.allocUnsafe(start + Buffer.byteLength(text));
  frame[0] = SESSION;
  frame.write(text, start, 'utf8');
  key.mac(frame.subarray(start)).copy(frame, 1);
  return frame;
}

/** The key of the session with a gateway, by the record that it sent; `undefined`: there is none. */
export type SessionOf = (value: Readonly<Record<string, unknown>>) => SessionKey | undefined;

/**
 * The record in a frame that one of the keys signed, or that a session vouches for; `undefined` for anything
 * else. The record names the key in its member `key`, and nothing else of it is checked.
 */
export function openFrame(
  keys: ReadonlyMap<string, PublicKey>,
  purpose: Purpose,
  frame: Uint8Array,
  sessionOf?: SessionOf,
): Readonly<Record<string, unknown>> | 'session' | undefined {
  const isSession = frame[0] === SESSION && sessionOf !== undefined;
  if (!isSession && frame[0] !== SIGNED) return undefined;
  const start = 1 + (isSession ? MAC_BYTES : SIGNATURE_BYTES);
  if (frame.length <= start) return undefined;
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  const text = bytes.subarray(start);
  const value = parse(text.toString('utf8'));
  if (!isRecord(value) || typeof value['key'] !== 'string') return undefined;
  if (isSession) {
    // guard: fleet-session-verified
    if (sessionOf(value)?.verify(text, bytes.subarray(1, start)) !== true) return 'session';
    return value;
  }
  const key = keys.get(value['key']);
  // guard: fleet-signature-verified
  if (key?.verify(signedBytes(purpose, text), bytes.subarray(1, start)) !== true) {
    return undefined;
  }
  return value;
}

function signedBytes(purpose: Purpose, text: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`bulkhead-fleet-${purpose}\n`), text]);
}

/** The value of a JSON text; `undefined` if it is not JSON. */
export function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
