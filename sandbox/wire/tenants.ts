import { readUint32, writeUint32 } from './framing.js';

/**
 * What goes over the pipe of a guest that several plugins share: the bytes of each one's wire, in
 * pieces that say whose they are.
 *
 * ```
 *     4 bytes   4 bytes
 *   ┌─────────┬─────────┬──────────────────────┐
 *   │ tenant  │ length  │ bytes of its wire    │   unsigned, little-endian
 *   └─────────┴─────────┴──────────────────────┘
 *     length 0, from the host: opens the tenant, or lets it go where it is open
 * ```
 *
 * A piece is passed on as it comes and is never gathered, so that no length makes anybody set memory
 * aside; the caps are those of the tenant's own wire.
 */
const HEADER_BYTES = 8;

export function makePiece(
  tenant: number,
  bytes: Uint8Array,
  allocate: (bytes: number) => Uint8Array,
): Uint8Array {
  const piece = allocate(HEADER_BYTES + bytes.length);
  writeUint32(piece, 0, tenant);
  writeUint32(piece, 4, bytes.length);
  piece.set(bytes, HEADER_BYTES);
  return piece;
}

export interface PieceReceiver {
  bytes(tenant: number, bytes: Uint8Array): void;
  /** An empty piece. */
  turn(tenant: number): void;
}

export const NOTHING: Uint8Array = new Uint8Array(0);

/** Cuts what arrives into pieces, whatever its cuts. */
export function makePieceReader(receiver: PieceReceiver): (bytes: Uint8Array) => void {
  const header = new Uint8Array(HEADER_BYTES);
  let headerFill = 0;
  let tenant = 0;
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
        tenant = readUint32(header, 0);
        left = readUint32(header, 4);
        if (left === 0) receiver.turn(tenant);
        continue;
      }
      const take = Math.min(left, bytes.length - at);
      left -= take;
      receiver.bytes(tenant, bytes.subarray(at, at + take));
      at += take;
    }
  };
}
