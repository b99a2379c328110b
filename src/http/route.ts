import type { PlainCalls } from '../adapters/mcp/plain-calls.js';
import type { Role } from './credentials.js';
import type { ServerLimits } from './limits.js';
import type { JsonAnswer } from './refusal.js';

/** A handler and its path. */
export interface Route {
  readonly path: string;
  /**
   * `open`: for any caller. `verified`: the handler authenticates the caller, then calls `acquireSlot`.
   * `console`: as `verified`, under the console's host names.
   * Roles: for a credential of the operator with one of these roles.
   */
  readonly access: 'open' | 'verified' | 'console' | readonly Role[];
  readonly fetch: (request: Request, acquireSlot: AcquireSlot) => Promise<Response>;
  /** Whether a request only waits for events, without limit. It needs no slot while it waits. */
  readonly isSubscription?: (request: Request) => boolean;
  /** A faster way for some requests, which answers as `fetch` does. */
  readonly plainCalls?: PlainCalls;
  /** A faster way for POST of a `verified` route, which answers as `fetch` does. */
  readonly invoke?: (request: Invoking, acquireSlot: AcquireSlot) => Promise<JsonAnswer>;
}

/** What the handler of a POST needs of its request. */
export interface Invoking {
  readonly authorization: string | null;
  /** Throws 413 for a body that is too long, and 408 for one that is too slow. */
  readonly readBody: (limits: Pick<ServerLimits, 'maxBodyBytes' | 'bodyMs'>) => Promise<string>;
  /** Aborts when the caller goes away before its answer. */
  readonly signal: AbortSignal;
}

/**
 * Takes a slot for a request, once, and counts it for the caller if one is named. Throws if no slot is
 * free. Must not be called for an unauthenticated caller of a `verified` route.
 */
export type AcquireSlot = (caller?: string) => void;

export interface RequestRecord {
  readonly method: string;
  /** Without its query, which may contain secrets. */
  readonly path: string;
  /** The path of the endpoint that answered, or `(other)`. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}
