import type { WireFailure } from '../../../../sandbox/wire/messages.js';
import type { GuestGrant, GuestLimits } from '../../../../sandbox/wire/methods.js';

/** Plugin code, and what it is granted. */
export interface RealmCase {
  /** The body of an async function; what it returns comes back as JSON. */
  readonly code: string;
  /** Whether `random` includes cryptographic randomness. Default: true. */
  readonly hasCryptoRandom?: boolean;
  readonly grant?: Partial<GuestGrant>;
  readonly limits?: Partial<GuestLimits>;
  /**
   * Everything is made when it is known whose it is; else what can be made before that is, as in a
   * guest that waited in a pool.
   */
  readonly atOnce?: boolean;
  /**
   * Answers, in place of the result, with what the start realm finds when it walks the objects that
   * the code can reach: from its globals and from what it returned. `control` adds some of Node's own
   * to them, which such a walk has to find.
   */
  readonly inspect?: 'objects' | 'control';
}

export interface RealmOutcome {
  readonly value?: unknown;
  /** What the code threw, as the guest tells its host. */
  readonly failure?: WireFailure;
  readonly logs: readonly string[];
  readonly faults: readonly WireFailure[];
  /** Permissions that were denied, with what was wanted. */
  readonly denied: readonly string[];
  /** What the host was asked for, in order. */
  readonly host: readonly string[];
  readonly withheld: readonly string[];
}
