/** Admits a fixed number of tasks at a time. Further tasks wait in order of arrival. */
export interface Semaphore {
  /** Joins the queue, synchronously. Throws `full()` if the queue is full. */
  enter(): Turn;
  /**
   * Waits for a slot and resolves with the function that releases it. Rejects with `full()` if the
   * queue is full, and with the signal's reason if the signal aborts first.
   */
  acquire(signal: AbortableSignal): Promise<() => void>;
  /** How many slots are in use. */
  readonly active: number;
}

/** One task's place in the queue, and then its slot. */
export interface Turn {
  /** Resolves when the task has a slot. */
  readonly ready: Promise<void>;
  /** Releases the slot, or leaves the queue. Only the first call counts. */
  leave(): void;
}

/** What `acquire` uses of an `AbortSignal`. */
export interface AbortableSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(name: 'abort', listener: () => void): void;
  removeEventListener(name: 'abort', listener: () => void): void;
}

export interface SemaphoreSpec {
  readonly maxActive: number;
  /** How many tasks may wait. Default: any number. */
  readonly maxQueued?: number;
  /** Makes the error for a task that finds the queue full. */
  readonly full?: () => Error;
}

export function makeSemaphore(spec: SemaphoreSpec): Semaphore {
  const { maxActive, maxQueued = Infinity, full = () => new Error('The queue is full') } = spec;
  // A Set keeps the order of arrival and removes a waiting task in constant time.
  const queue = new Set<() => void>();
  let active = 0;

  const enter = (): Turn => {
    let state: 'waiting' | 'active' | 'left' = 'waiting';
    let admit = (): void => undefined;
    const ready = new Promise<void>((resolve) => {
      admit = () => {
        state = 'active';
        active += 1;
        resolve();
      };
    });
    // guard: concurrency-cap
    if (active < maxActive) admit();
    else if (queue.size >= maxQueued) throw full();
    else queue.add(admit);
    return {
      ready,
      leave: () => {
        if (state === 'waiting') queue.delete(admit);
        const isActive = state === 'active';
        state = 'left';
        if (!isActive) return;
        active -= 1;
        const [next] = queue;
        if (next === undefined) return;
        queue.delete(next);
        next();
      },
    };
  };

  return {
    enter,
    acquire: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const turn = enter();
        const giveUp = (): void => {
          turn.leave();
          reject(signal.reason);
        };
        signal.addEventListener('abort', giveUp);
        void turn.ready.then(() => {
          signal.removeEventListener('abort', giveUp);
          resolve(turn.leave);
        });
      }),
    get active() {
      return active;
    },
  };
}
