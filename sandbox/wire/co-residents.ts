import { readUint32, writeUint32 } from './framing.js';

/**
 * The pipe of a shared guest carries the bytes of each co-resident's wire, in numbered pieces:
 *
 * ```
 *     4 bytes   4 bytes
 *   ┌─────────┬─────────┬──────────────────────┐
 *   │ number  │ length  │ bytes of its wire    │   unsigned, little-endian
 *   └─────────┴─────────┴──────────────────────┘
 *     length 0, from the host: opens the co-resident, or unloads it if it is open
 * ```
 *
 * The reader passes pieces on as they arrive and gathers nothing, so that a length allocates no
 * memory. The caps are those of each wire.
 */
const HEADER_BYTES = 8;

export function makePiece(
  number: number,
  bytes: Uint8Array,
  allocate: (bytes: number) => Uint8Array,
): Uint8Array {
  const piece = allocate(HEADER_BYTES + bytes.length);
  writeUint32(piece, 0, number);
  writeUint32(piece, 4, bytes.length);
  piece.set(bytes, HEADER_BYTES);
  return piece;
}

export interface PieceReceiver {
  bytes(number: number, bytes: Uint8Array): void;
  /** An empty piece. */
  empty(number: number): void;
}

export const NOTHING: Uint8Array = new Uint8Array(0);

/** Splits incoming bytes into pieces. The bytes may be cut anywhere. */
export function makePieceReader(receiver: PieceReceiver): (bytes: Uint8Array) => void {
  const header = new Uint8Array(HEADER_BYTES);
  let headerFill = 0;
  let number = 0;
  let left = 0;
  return (bytes) => {
    let at = 0;
    while (at < bytes.length) {
      if (left === 0) {
        const take = Math.min(HEADER_BYTES - headerFill, bytes.length - at);
        header.set(bytes.subarray(at, at + take), headerFill);
        headerFill += take;
        at += take;
        if (headerFill < HEADER_BYTES) return;
        headerFill = 0;
        number = readUint32(header, 0);
        left = readUint32(header, 4);
        if (left === 0) receiver.empty(number);
        continue;
      }
      const take = Math.min(left, bytes.length - at);
      left -= take;
      receiver.bytes(number, bytes.subarray(at, at + take));
      at += take;
    }
  };
}
