import { BulkheadError } from '../errors.js';
import { makeFairQueue } from './fair-queue.js';

export interface CallSchedulerLimits {
  readonly maxCalls: number;
  readonly maxCallsPerPlugin: number;
  readonly maxQueued: number;
  readonly maxQueuedPerPlugin: number;
  readonly maxWaitMs: number;
}

/** Limits and queues the calls of all plugins of an engine. */
export interface CallScheduler {
  /** Opens the queue of a plugin. It runs at most `maxCallsPerPlugin` calls at a time. */
  open(plugin: string): PluginQueue;
}

/** Limits and queues the calls of one plugin. */
export interface PluginQueue {
  /** Whether a call or hook of the plugin is running or waiting. */
  busy(): boolean;
  /** Resolves when the queue is not busy. */
  whenIdle(): Promise<void>;
  /** Marks the plugin busy while a hook runs, without using a call slot. Call the result to end. */
  hold(): () => void;
  /** Takes a call slot if one is free. After `true`, the caller must call `leave`. */
  tryEnter(): boolean;
  /**
   * Waits for a call slot. After it resolves, the caller must call `leave`. Rejects with `BUSY` if a
   * queue is full or the wait is too long, and with the signal's reason on abort.
   */
  enter(who: QueueRequest): Promise<void>;
  leave(): void;
}

export interface QueueRequest {
  /** The tenant of the call. Tenants are served in turns. Default: one shared tenant. */
  readonly tenant?: string | undefined;
  /** Longest wait in milliseconds. The scheduler's own `maxWaitMs` also applies. */
  readonly maxWaitMs: number;
  readonly signal: AbortSignal;
}

interface Waiter {
  readonly sinceMs: number;
  proceed(): void;
  refuse(why: string): void;
}

/** Shortest retry delay for `BUSY`, in milliseconds. */
const LEAST_RETRY_MS = 100;

export function makeCallScheduler(
  limits: CallSchedulerLimits,
  onWaiting: (waiting: number) => void,
  now: () => number,
): CallScheduler {
  const { maxCalls, maxCallsPerPlugin, maxQueued, maxQueuedPerPlugin, maxWaitMs } = limits;
  const line = makeFairQueue<OpenQueue, Waiter>();
  let underWay = 0;

  /** A call has ended, so at most one waiting call can start. */
  const admitNext = (): void => {
    const next = line.take((queue) => queue.underWay < maxCallsPerPlugin);
    if (next === undefined) return;
    next.proceed();
    onWaiting(line.size);
  };

  const enter = (
    queue: OpenQueue,
    { tenant = '', maxWaitMs: requestedMs, signal }: QueueRequest,
  ): Promise<void> => {
    const place = { tenant, plugin: queue };
    const sinceMs = now();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        queue.waiting -= 1;
      };
      const leaveLine = (): void => {
        line.remove(place, waiter);
        settle();
        onWaiting(line.size);
        notifyIdle(queue);
      };
      const giveUp = (): void => {
        leaveLine();
        reject(signal.reason);
      };
      const waiter: Waiter = {
        sinceMs,
        proceed: () => {
          settle();
          begin(queue);
          resolve();
        },
        refuse: (why) => {
          // Estimates the retry delay from the age of the oldest waiting call.
          const { first } = line.at(place);
          const ageMs = now() - (first?.sinceMs ?? sinceMs);
          leaveLine();
          const retryAfterMs = Math.ceil(Math.min(maxWaitMs, Math.max(LEAST_RETRY_MS, ageMs)));
          reject(new BulkheadError('BUSY', `${why} ${REMEDY}`, { retryAfterMs }));
        },
      };
      const timer = setTimeout(
        () => waiter.refuse(tooLong(queue, now() - sinceMs)),
        Math.min(requestedMs, maxWaitMs),
      );
      signal.addEventListener('abort', giveUp, { once: true });
      line.add(place, waiter);
      queue.waiting += 1;
      onWaiting(line.size);
      if (line.at(place).size > maxQueuedPerPlugin) waiter.refuse(queueFull(queue));
      // guard: waiting-call-cap
      else if (line.size > maxQueued) line.longest(place)?.refuse(allFull());
    });
  };

  const begin = (queue: OpenQueue): void => {
    underWay += 1;
    queue.underWay += 1;
  };

  const queueFull = ({ plugin }: OpenQueue): string =>
    `${plugin} has ${maxCallsPerPlugin} calls under way, as many as limits.maxCallsPerPlugin lets it, or the engine has limits.maxCalls; and as many wait as limits.maxQueuedPerPlugin lets wait.`;
  const allFull = (): string =>
    `${maxQueued} calls wait for their turn, as many as limits.maxQueued lets wait.`;
  const tooLong = ({ plugin }: OpenQueue, waitedMs: number): string =>
    `A call of ${plugin} did not get its turn within ${Math.round(waitedMs)} ms.`;

  return {
    open: (plugin) => {
      const queue: OpenQueue = { plugin, underWay: 0, waiting: 0, holds: 0, idleListeners: [] };
      return {
        busy: () => isBusy(queue),
        whenIdle: () =>
          new Promise((resolve) => {
            if (isBusy(queue)) queue.idleListeners.push(resolve);
            else resolve();
          }),
        hold: () => {
          queue.holds += 1;
          return () => {
            queue.holds -= 1;
            notifyIdle(queue);
          };
        },
        // If the engine has a free slot, waiting calls wait only for their own plugin. None is overtaken.
        tryEnter: () => {
          // guard: concurrent-call-cap
          if (underWay >= maxCalls || queue.underWay >= maxCallsPerPlugin) return false;
          begin(queue);
          return true;
        },
        enter: (who) => enter(queue, who),
        leave: () => {
          underWay -= 1;
          queue.underWay -= 1;
          if (line.size > 0) admitNext();
          notifyIdle(queue);
        },
      };
    },
  };
}

interface OpenQueue {
  readonly plugin: string;
  underWay: number;
  waiting: number;
  /** Hooks that run. */
  holds: number;
  readonly idleListeners: (() => void)[];
}

function isBusy({ underWay, waiting, holds }: OpenQueue): boolean {
  return underWay + waiting + holds > 0;
}

function notifyIdle(queue: OpenQueue): void {
  if (queue.idleListeners.length === 0 || isBusy(queue)) return;
  for (const listener of queue.idleListeners.splice(0)) listener();
}

const REMEDY = 'Nothing of it has run. Try again later.';
