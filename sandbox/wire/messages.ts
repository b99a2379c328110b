/** A value that can cross: only JSON. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** An error on the wire: only text, capped by the sender and again by the receiver. */
export interface WireFailure {
  readonly name: string;
  readonly message: string;
  /** One of `WIRE_CODES`. The receiver drops any other. */
  readonly code?: WireCode;
  readonly stack?: string;
}

/**
 * Every message except stream chunks. Both sides send all of them. Ids belong to the side that
 * requests (`request`, `cancel`) or that sends the bytes (`end`); a `credit` and a `refuse` name a
 * stream of the other side. An id is never used again.
 *
 * ```
 *   requester ── request i ──►  responder    sender ── chunk s ──►  receiver
 *             ◄─ reply i ────                       ◄─ credit s ──
 *             ◄─ failure i ──                       ── end s ────►
 *             ── cancel i ──►                       ◄─ refuse s ──
 * ```
 */
export type Message =
  | { readonly t: 'request'; readonly i: number; readonly m: string; readonly p: Json }
  | { readonly t: 'reply'; readonly i: number; readonly v: Json }
  | { readonly t: 'failure'; readonly i: number; readonly e: WireFailure }
  /** The requester does not wait any more. The responder stops what it can, and still answers. */
  | { readonly t: 'cancel'; readonly i: number; readonly why: string }
  | { readonly t: 'notice'; readonly m: string; readonly p: Json }
  /** The receiver read `n` bytes of stream `s`, so that the sender may send `n` more. */
  | { readonly t: 'credit'; readonly s: number; readonly n: number }
  /** Stream `s` is complete, or failed with an error. */
  | { readonly t: 'end'; readonly s: number; readonly e?: WireFailure }
  /** The receiver does not want the rest of stream `s`. */
  | { readonly t: 'refuse'; readonly s: number; readonly why: string };

/**
 * The error codes that may cross. From a guest they are claims: good enough for the answer to a model,
 * but not evidence. A broker reports its own refusals.
 */
export const WIRE_CODES = [
  'TIME_DENIED',
  'RANDOM_DENIED',
  'NETWORK_DENIED',
  'NETWORK_FAILED',
  'NETWORK_LIMIT',
  'EFFECT_DENIED',
  'FILESYSTEM_DENIED',
  'FILESYSTEM_FAILED',
  'FILESYSTEM_LIMIT',
  'ENVIRONMENT_DENIED',
  'STORAGE_DENIED',
  'STORAGE_FAILED',
  'STORAGE_LIMIT',
  'POWER_DENIED',
  'POWER_UNAVAILABLE',
  'POWER_INVALID',
  'POWER_FAILED',
  'POWER_LIMIT',
  'PERMISSION_REVOKED',
  'BUILTIN_DENIED',
  'BUNDLE_FAILED',
  'OUTSIDE_PLUGIN',
  'CANCELLED',
  'INVALID_HOOK_CHANGE',
  'INVALID_INPUT',
  'INVALID_SCHEMA',
  'INVALID_TOOL',
  'LOAD_FAILED',
  'SES_INCOMPATIBLE',
  'RESULT_INVALID',
  'RESULT_TOO_LARGE',
  'TOOL_FAILED',
  'TOOL_NOT_FOUND',
] as const;

export type WireCode = (typeof WIRE_CODES)[number];

const codes: ReadonlySet<string> = new Set(WIRE_CODES);

export function isWireCode(code: unknown): code is WireCode {
  return typeof code === 'string' && codes.has(code);
}
