import type { EndowmentCapabilities } from './endowment.js';
import { perCompartment } from './per-compartment.js';

export interface Timer {
  readonly id: number;
  /** Starts the delay again, even if it has elapsed. Does nothing after `stop`. */
  restart(): void;
  /** Stops the timer permanently. */
  stop(): void;
}

/** The timers of one compartment. All of them share one cap and end together. */
export interface TimerQueue {
  /** Throws a RangeError over the cap. Errors of `callback` go to `reportFault`. */
  start(callback: () => void, delayMs: number, repeat: boolean): Timer;
  /** The running timer with that id. */
  find(id: number): Timer | undefined;
  /** Stops all timers, and every timer started later. */
  close(): void;
}

export const timerQueue: (capabilities: EndowmentCapabilities) => TimerQueue = perCompartment(
  (capabilities) => {
    const { clock, reportFault } = capabilities;
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
        // The callback may have stopped or restarted the timer.
        if (repeat && !stopped && !armed) arm();
      };
      const enter = (): void => {
        const { limits, plugin } = capabilities;
        // guard: timer-cap
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
  },
);
