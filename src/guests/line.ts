/** Somebody on the line between a guest and its peer, who hears all that is said. */
export interface Line {
  /** Gives the way to say something to the guest, past the peer. */
  open(say: (bytes: Uint8Array) => void): void;
  /** The peer said these bytes to the guest. */
  said(bytes: Uint8Array): void;
  /** The guest said these. Answers whether the peer is to hear them, too. */
  heard(bytes: Uint8Array): boolean;
}
