import { isRecord } from '../../sandbox/wire/json.js';
import type { PublicKey, SigningKey } from '../keys/signing-key.js';

/** What a signature is for. A signature for one purpose is not valid for another. */
type Purpose = 'call' | 'epoch' | 'answer' | 'powers';

const SIGNATURE_BYTES = 64;

/** A JSON text with the gateway's signature before it: 64 bytes of Ed25519, then UTF-8. */
export function sealFrame(key: SigningKey, purpose: Purpose, text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([key.sign(signedBytes(purpose, bytes)), bytes]);
}

/**
 * The record in a frame that one of the keys signed; `undefined` for anything else. The record names the key
 * in its member `key`, and nothing else of it is checked.
 */
export function openFrame(
  keys: ReadonlyMap<string, PublicKey>,
  purpose: Purpose,
  frame: Uint8Array,
): Readonly<Record<string, unknown>> | undefined {
  if (frame.length <= SIGNATURE_BYTES) return undefined;
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  const text = bytes.subarray(SIGNATURE_BYTES);
  const value = parse(text.toString('utf8'));
  if (!isRecord(value) || typeof value['key'] !== 'string') return undefined;
  const key = keys.get(value['key']);
  // guard: fleet-signature-verified
  if (key?.verify(signedBytes(purpose, text), bytes.subarray(0, SIGNATURE_BYTES)) !== true) {
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
