import { FROM_GUEST, type WireLimits } from '../../../sandbox/wire/limits.js';
import { makePeer, type Peer } from '../../../sandbox/wire/peer.js';
import type { Service } from '../../../sandbox/wire/service.js';
import { makeUtf8 } from '../../../sandbox/wire/framing.js';

export const utf8 = makeUtf8(Buffer);

export const silent: Service = {
  request: (method) => {
    throw new Error(`no handler for ${method}`);
  },
  notice: () => {},
};

export interface End {
  readonly peer: Peer;
  readonly violations: Error[];
  readonly written: Uint8Array[];
}

/** One end whose bytes go to `write`. */
export function makeEnd(
  service: Service,
  write: (bytes: Uint8Array) => void,
  limits: WireLimits = FROM_GUEST,
): End {
  const violations: Error[] = [];
  const written: Uint8Array[] = [];
  const peer = makePeer({
    write: (bytes) => {
      written.push(bytes);
      write(bytes);
    },
    utf8,
    allocate: (bytes) => Buffer.allocUnsafe(bytes),
    soon: queueMicrotask,
    limits,
    service,
    now: () => performance.now(),
    onViolation: (violation) => violations.push(violation),
  });
  return { peer, violations, written };
}

/** Two ends joined by a pipe that delivers in pieces of `pieceBytes`, in later jobs. */
export function loopback(
  left: Service,
  right: Service,
  options: { readonly pieceBytes?: number; readonly limits?: WireLimits } = {},
): { readonly left: End; readonly right: End } {
  const deliver = (to: () => Peer) => (bytes: Uint8Array) => {
    const size = options.pieceBytes ?? bytes.length;
    for (let at = 0; at < bytes.length; at += size) {
      const piece = bytes.slice(at, at + size);
      setImmediate(() => to().receive(piece));
    }
  };
  const a: End = makeEnd(
    left,
    deliver(() => b.peer),
    options.limits,
  );
  const b: End = makeEnd(
    right,
    deliver(() => a.peer),
    options.limits,
  );
  return { left: a, right: b };
}

/** A frame as raw bytes, for peers that say what no honest one says. */
export function rawFrame(body: string | Uint8Array, kind = 0, length?: number): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body);
  const header = Buffer.alloc(5);
  header.writeUInt32LE(length ?? bytes.length, 0);
  header[4] = kind;
  return Buffer.concat([header, bytes]);
}

export function chunkFrame(streamId: number, bytes: Uint8Array): Buffer {
  const id = Buffer.alloc(4);
  id.writeUInt32LE(streamId, 0);
  return rawFrame(Buffer.concat([id, bytes]), 1);
}
