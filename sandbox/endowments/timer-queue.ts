import type { EndowmentPowers } from './endowment.js';
import { perCompartment } from './per-compartment.js';

export interface Timer {
  readonly id: number;
  /** Begins the delay anew, also where it has run out; does nothing once stopped. */
  restart(): void;
  /** For good. */
  stop(): void;
}

/** The timers of one compartment, counted: whatever makes one, all of them end together. */
export interface TimerQueue {
  /** Throws a RangeError over the cap. What `callback` throws goes to `reportFault`. */
  start(callback: () => void, delayMs: number, repeat: boolean): Timer;
  /** The timer of that id, while it runs. */
  find(id: number): Timer | undefined;
  /** Stops all of them, and every one started from now on. */
  close(): void;
}

export const timerQueue: (powers: EndowmentPowers) => TimerQueue = perCompartment((powers) => {
  const { clock, reportFault } = powers;
  const running = new Map<number, Timer>();
  let lastId = 0;
  let closed = false;

  const start: TimerQueue['start'] = (callback, delayMs, repeat) => {
    let handle: unknown;
    let armed = false;
    let stopped = false;

    const arm = (): void => {
      armed = true;
      handle = clock.setTimeout(fire, delayMs);
    };
    const disarm = (): void => {
      if (armed) clock.clearTimeout(handle);
      armed = false;
    };
    const fire = (): void => {
      armed = false;
      if (!repeat) running.delete(id);
      try {
        callback();
      } catch (error) {
        reportFault(error);
      }
      // The callback may have stopped it, or restarted it itself.
      if (repeat && !stopped && !armed) arm();
    };
    const enter = (): void => {
      const { limits, plugin } = powers;
      if (running.size >= limits.maxTimers) {
        throw new RangeError(`${plugin.id} has ${limits.maxTimers} timers, and may have no more`);
      }
      running.set(id, timer);
    };

    lastId += 1;
    const id = lastId;
    const timer: Timer = {
      id,
      restart: () => {
        if (stopped || closed) return;
        if (!running.has(id)) enter();
        disarm();
        arm();
      },
      stop: () => {
        stopped = true;
        running.delete(id);
        disarm();
      },
    };
    timer.restart();
    return timer;
  };

  return {
    start,
    find: (id) => running.get(id),
    close: () => {
      closed = true;
      for (const timer of running.values()) timer.stop();
    },
  };
});
