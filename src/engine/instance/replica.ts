import { BulkheadError } from '../../errors.js';
import type { Guest } from '../../guests/guest.js';
import type { Loopers } from './loopers.js';
import type { GivenUp, Unsettled } from './unsettled.js';

/** Unsettled calls of one tenant after which its next call gets another guest, or waits. */
const MAX_UNSETTLED_PER_TENANT = 4;

/** A loaded guest of an entry. A class, for speed: see docs/speed.md. */
export class Replica {
  readonly guest: Guest;
  readonly #stateful: boolean;
  /** Absent until a request was given up. */
  unsettled: Unsettled | undefined;
  /** Running or done. Absent until the guest is needed for a request. */
  begun: Promise<void> | undefined;
  /** Whether `begin` has run. */
  ready = false;
  /** Whether it only answers its open requests. */
  drains = false;
  /** Requests that were given up and had not settled when the guest was killed, if it was. */
  readonly suspects: Set<GivenUp> = new Set();
  readonly #loopers: Loopers | undefined;
  #tenant: string | undefined;
  /** Whether it serves one tenant alone, whose calls looped. */
  isApart = false;

  /** `loopers`: absent if only one guest has the plugin's state. */
  constructor(guest: Guest, stateful: boolean, loopers?: Loopers) {
    this.guest = guest;
    this.#stateful = stateful;
    this.#loopers = loopers;
  }

  /** It was started for a call of that tenant. */
  startedFor(tenant: string | undefined): void {
    this.#tenant = tenant;
    this.isApart = this.#loopers?.has(tenant) === true;
  }

  /** Whether calls of the tenant may run in it. */
  admits(tenant: string | undefined): boolean {
    return this.isApart ? tenant === this.#tenant : this.#loopers?.has(tenant) !== true;
  }

  /** A request was given up. If the guest is killed before it settles, its tenant is suspect. */
  suspect(givenUp: GivenUp): void {
    this.suspects.add(givenUp);
    void givenUp.settled.then(() => {
      if (this.guest.alive) this.suspects.delete(givenUp);
    });
  }

  /** Whether the guest lives. A killed guest may not have ended yet, but takes no more requests. */
  get isTrusted(): boolean {
    return this.guest.alive && !this.guest.draining;
  }

  /** Whether the guest is stateless and its only requests were given up: it is about to be killed. */
  get isSuspect(): boolean {
    return (
      !this.#stateful &&
      this.unsettled !== undefined &&
      this.unsettled.size > 0 &&
      this.guest.checking === undefined &&
      this.guest.peer.liveRequests === 0
    );
  }

  /** Whether it lives and is not about to be killed. It may not have begun, or may be checked. */
  get isUsable(): boolean {
    return this.isTrusted && !this.isSuspect;
  }

  get takesRequests(): boolean {
    return this.ready && this.isUsable && this.guest.checking === undefined;
  }

  /** Whether too many calls of the tenant were given up and have not settled. */
  isFullFor(tenant: string | undefined): boolean {
    // guard: unsettled-calls-per-tenant
    return (this.unsettled?.countOf(tenant ?? '') ?? 0) >= MAX_UNSETTLED_PER_TENANT;
  }
}

/** Waits until one of a guest's unsettled calls has ended. Throws `BUSY` after `maxWaitMs`. */
export async function waitForTenant(
  unsettled: Unsettled,
  spec: {
    readonly plugin: string;
    readonly maxWaitMs: number;
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { plugin, maxWaitMs, signal } = spec;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), maxWaitMs);
  });
  const isLate = await Promise.race([unsettled.nextSettled(), late]);
  clearTimeout(timer);
  if (isLate !== true || signal?.aborted === true) return;
  throw new BulkheadError(
    'BUSY',
    `${plugin} has ${MAX_UNSETTLED_PER_TENANT} calls of this tenant that were given up and have not ended. Nothing of this call has run. Try again later.`,
    { retryAfterMs: maxWaitMs },
  );
}
