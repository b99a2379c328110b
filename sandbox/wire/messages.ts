import type { WireCode } from './codes.js';

/** A value that can cross: JSON, nothing else. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** An error as it crosses: text only, capped by the sender and again by the receiver. */
export interface WireFailure {
  readonly name: string;
  readonly message: string;
  /** One of `WIRE_CODES`; any other is dropped by the receiver. */
  readonly code?: WireCode;
  readonly stack?: string;
}

/**
 * Everything that can be said on the wire besides stream bytes. Both sides speak it. Ids belong to
 * the side that asks (`request`, `cancel`) or that sends the bytes (`end`, `abandon`; a `credit`
 * names a stream of the other side), and are never used again.
 *
 * ```
 *   asker ── request i ──►  answerer        sender ── chunk s ──►  receiver
 *         ◄─ reply i ────                          ◄─ credit s ──
 *         ◄─ failure i ──                          ── end s ────►
 *         ── cancel i ──►                          ◄─ refuse s ──
 * ```
 */
export type Message =
  | { readonly t: 'request'; readonly i: number; readonly m: string; readonly p: Json }
  | { readonly t: 'reply'; readonly i: number; readonly v: Json }
  | { readonly t: 'failure'; readonly i: number; readonly e: WireFailure }
  /** The asker no longer waits. The answerer stops what it can and still settles the request. */
  | { readonly t: 'cancel'; readonly i: number; readonly why: string }
  | { readonly t: 'notice'; readonly m: string; readonly p: Json }
  /** The receiver took `n` bytes of stream `s`: as many more may be sent. */
  | { readonly t: 'credit'; readonly s: number; readonly n: number }
  /** Stream `s` is complete, or broke off with an error. */
  | { readonly t: 'end'; readonly s: number; readonly e?: WireFailure }
  /** The receiver wants no more of stream `s`. */
  | { readonly t: 'refuse'; readonly s: number; readonly why: string };
