import type { TextPower } from '../endowment.js';

/** UTF-8 as the web reads bodies: without its byte order mark, and never failing. */
export function decodeUtf8(bytes: Uint8Array, power: TextPower): string {
  const decoder = power.decoder('utf-8', { fatal: false, ignoreBOM: false });
  if (decoder === undefined) throw new TypeError('This platform has no UTF-8');
  return decoder.decode(bytes, false);
}
