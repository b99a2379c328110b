/** Another way to hold code that nobody trusts, doing the same work. */
export interface Peer {
  readonly name: string;
  /** What is left when the held code breaks out or crashes the engine, in a few words. */
  readonly containment: string;
  /** From nothing to one that answers. Rejects where it is not installed, or not for this Node. */
  open(): Promise<OpenPeer>;
}

export interface OpenPeer {
  /** Runs the tool on an input that crosses by copy, and brings its result back. */
  call(input: unknown): Promise<unknown>;
  close(): void | Promise<void>;
}

/** The work: `echo` of the benchmark, as the source of a function. */
export const ECHO = '(async ({ city, s }) => ({ ok: true, len: s ? s.length : 0, city }))';
