import { BulkheadError } from '../errors.js';
import { makeFairQueue } from '../scheduler/fair-queue.js';
import { makeTurns } from '../scheduler/turns.js';
import type { GuestHandle } from './shared-guest.js';
import type { Watch } from './watch.js';

/** Limits how many guests of one engine hold a plugin, and their memory together. */
export interface Capacity {
  /**
   * Starts a guest when there is room for it. To make room, it ends the guest that was idle for
   * longest. If every guest is in use, requests queue: tenants take turns, and the plugins of each
   * tenant take turns. The guests that a plugin has had for longest are then drained.
   *
   * One guest starts in a turn of the event loop: forking its process blocks the host for
   * milliseconds, and many plugins may start at once.
   *
   * Rejects `BUSY` if a queue is full or the wait is too long, and with the signal's reason.
   */
  start<Guest>(
    plugin: string,
    start: () => Started<Guest>,
    request?: CapacityRequest,
  ): Promise<Guest>;
  /** Ends idle guests while all guests together use more memory than the limit. */
  relieve(): void;
  /** Rejects every queued request. */
  close(): void;
}

/** A request for a guest. Tenants take turns. If the signal aborts, the request leaves the queue. */
export interface CapacityRequest {
  readonly signal?: AbortSignal | undefined;
  readonly tenant?: string | undefined;
  /** Whether to reject `BUSY` instead of queueing or ending an idle guest. Default: false. */
  readonly onlyIfFree?: boolean;
}

/** A guest that was just started, and what counts it until it ends. */
export interface Started<Guest> {
  readonly guest: Guest;
  readonly handle: GuestHandle;
  readonly watch: Watch;
}

export interface CapacityLimits {
  readonly maxGuests: number;
  readonly maxMemoryMb: number;
  readonly maxQueued: number;
  readonly maxQueuedPerPlugin: number;
  readonly maxWaitMs: number;
}

interface Waiter {
  proceed(): void;
  refuse(why: Error): void;
}

/** Milliseconds between two checks for an idle guest while requests are queued. */
const CHECK_MS = 5;

/** When a caller should retry, in milliseconds: calls end all the time. */
const RETRY_AFTER_MS = 500;

export function makeCapacity(limits: CapacityLimits, now: () => number): Capacity {
  const { maxGuests, maxMemoryMb, maxQueued, maxQueuedPerPlugin, maxWaitMs } = limits;
  const loaded = new Map<GuestHandle, LoadedGuest>();
  const queue = makeFairQueue<string, Waiter>();
  const turns = makeTurns();
  /** Requests that have room, and wait for their turn of the event loop. */
  let starting = 0;
  /** Whether the first of the queue is one of those. */
  let firstHasRoom = false;
  let checking: NodeJS.Timeout | undefined;
  let closed = false;

  const end = (guest: GuestHandle, why: string): void => {
    // A killed guest takes no more calls, and its process is dying already.
    loaded.delete(guest);
    guest.kill({ cause: 'idle', detail: why });
  };
  const usedMb = (): number =>
    [...loaded.values()].reduce((sum, one) => sum + one.watch.memoryMb, 0);

  /** Whether there is room for one more guest. Ends idle guests to make room. */
  const hasRoom = (): boolean => {
    for (const guest of loaded.keys()) if (!guest.alive) loaded.delete(guest);
    // guard: guest-admission-cap
    while (loaded.size + starting >= maxGuests || (loaded.size > 0 && usedMb() >= maxMemoryMb)) {
      const idle = chooseIdle(loaded.values());
      if (idle === undefined) return false;
      end(idle.guest, 'another plugin needed its member');
    }
    return true;
  };

  const admit = <Guest>(start: () => Started<Guest>): Guest => {
    const { guest, handle, watch } = start();
    const one: LoadedGuest = { guest: handle, watch, sinceMs: now(), fresh: true };
    loaded.set(handle, one);
    // The request that started the guest sends its first message before this runs.
    setImmediate(() => {
      one.fresh = false;
    });
    void handle.ended.then(() => {
      loaded.delete(handle);
      check();
    });
    return guest;
  };

  const startFirst = (): void => {
    if (queue.size > 0 && hasRoom()) queue.take(() => true)?.proceed();
  };

  const check = (): void => {
    while (!firstHasRoom && queue.size > 0 && hasRoom()) {
      const turn = turns.take();
      if (turn === undefined) {
        startFirst();
        continue;
      }
      firstHasRoom = true;
      void turn.then(() => {
        firstHasRoom = false;
        startFirst();
        check();
      });
    }
    const draining = [...loaded.values()].filter(({ guest }) => guest.draining).length;
    // guard: busy-guest-drained-for-queue
    if (!firstHasRoom && draining < queue.size)
      chooseToDrain(loaded.values(), now())?.guest.drain();
    if (queue.size > 0) {
      checking ??= setInterval(check, CHECK_MS);
      return;
    }
    clearInterval(checking);
    checking = undefined;
  };

  const wait = <Guest>(
    plugin: string,
    start: () => Started<Guest>,
    { signal, tenant = '' }: CapacityRequest,
  ): Promise<Guest> => {
    const member = { tenant, plugin };
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      };
      const waiter: Waiter = {
        proceed: () => {
          settle();
          try {
            resolve(admit(start));
          } catch (error) {
            reject(error);
          }
        },
        refuse: (why) => {
          queue.remove(member, waiter);
          settle();
          reject(why);
        },
      };
      const giveUp = (): void => waiter.refuse(signal?.reason);
      const timer = setTimeout(() => waiter.refuse(full(plugin, limits)), maxWaitMs);
      signal?.addEventListener('abort', giveUp, { once: true });
      queue.add(member, waiter);
      if (queue.at(member).size > maxQueuedPerPlugin) waiter.refuse(full(plugin, limits));
      else if (queue.size > maxQueued) queue.longest(member)?.refuse(full(plugin, limits));
      check();
    });
  };

  const startIn = async <Guest>(
    turn: Promise<void>,
    plugin: string,
    start: () => Started<Guest>,
    request: CapacityRequest,
  ): Promise<Guest> => {
    starting += 1;
    await turn;
    starting -= 1;
    if (closed) throw closedError();
    request.signal?.throwIfAborted();
    return hasRoom() ? admit(start) : wait(plugin, start, request);
  };

  return {
    start: (plugin, start, request = {}) => {
      if (closed) return Promise.reject(closedError());
      if (request.signal?.aborted === true) return Promise.reject(request.signal.reason);
      if (request.onlyIfFree === true) {
        const isFree =
          queue.size === 0 && loaded.size + starting < maxGuests && usedMb() < maxMemoryMb;
        return isFree ? Promise.resolve(admit(start)) : Promise.reject(full(plugin, limits));
      }
      if (queue.size > 0 || !hasRoom()) return wait(plugin, start, request);
      const turn = turns.take();
      return turn === undefined
        ? Promise.resolve(admit(start))
        : startIn(turn, plugin, start, request);
    },
    relieve: () => {
      // guard: guest-memory-cap
      while (usedMb() > maxMemoryMb) {
        const idle = chooseIdle(loaded.values());
        if (idle === undefined) return;
        end(idle.guest, `all guests together loaded more than ${maxMemoryMb} MiB`);
      }
    },
    close: () => {
      closed = true;
      for (let next = queue.take(() => true); next !== undefined; next = queue.take(() => true)) {
        next.refuse(closedError());
      }
      clearInterval(checking);
    },
  };
}

function full(plugin: string, { maxGuests, maxMemoryMb }: CapacityLimits): BulkheadError {
  return new BulkheadError(
    'BUSY',
    `${plugin} cannot start: ${maxGuests} guests run, or all guests use ${maxMemoryMb} MiB, and each is in use. Retry when a call has ended, or raise limits.maxGuests or limits.maxMemoryMb.`,
    { retryAfterMs: RETRY_AFTER_MS },
  );
}

function closedError(): BulkheadError {
  return new BulkheadError('ENGINE_CLOSED', 'The engine was closed: it runs no further calls.', {});
}

/** A guest that holds a plugin. */
export interface LoadedGuest {
  readonly guest: GuestHandle;
  readonly watch: Pick<Watch, 'idleSinceMs' | 'mayStop' | 'memoryMb'>;
  readonly sinceMs: number;
  /** Whether it was started in this job, and its caller could not send a message yet. */
  fresh: boolean;
}

/** Milliseconds that a plugin may use its guest while others are queued: starting costs more. */
export const MIN_STAY_MS = 1_000;

/** The guest that was idle for longest, or `undefined` if every guest is in use. */
export function chooseIdle(loaded: Iterable<LoadedGuest>): LoadedGuest | undefined {
  let longest: { readonly one: LoadedGuest; readonly sinceMs: number } | undefined;
  for (const one of loaded) {
    const sinceMs = one.fresh ? undefined : one.watch.idleSinceMs;
    if (sinceMs === undefined || (longest !== undefined && sinceMs >= longest.sinceMs)) continue;
    longest = { one, sinceMs };
  }
  return longest?.one;
}

/** The guest in use that its plugin has had for longest, and for at least `MIN_STAY_MS`. */
export function chooseToDrain(
  loaded: Iterable<LoadedGuest>,
  nowMs: number,
): LoadedGuest | undefined {
  let longest: LoadedGuest | undefined;
  for (const one of loaded) {
    const { guest, watch, sinceMs } = one;
    if (!watch.mayStop || guest.draining || nowMs - sinceMs < MIN_STAY_MS) continue;
    if (longest === undefined || sinceMs < longest.sinceMs) longest = one;
  }
  return longest;
}
