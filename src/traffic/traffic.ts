import { BulkheadError } from '../errors.js';
import { makeFairLine } from './fair-line.js';

export interface TrafficLimits {
  readonly maxCalls: number;
  readonly maxCallsPerPlugin: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerPlugin: number;
  readonly maxWaitMs: number;
}

/** The calls under way in all plugins of an engine, and those that wait until they may begin. */
export interface Traffic {
  /** The lane of a plugin, which is as wide as `maxCallsPerPlugin`. */
  open(plugin: string): Lane;
}

/** The calls of one plugin. */
export interface Lane {
  /** Whether anything of the plugin's is under way, or waits to be. */
  busy(): boolean;
  /** Keeps it busy until what this returns is called, in no call's place: a hook runs. */
  visit(): () => void;
  /** Begins where it may at once: then `leave` has to follow. */
  tryEnter(): boolean;
  /**
   * Begins when it is its turn: then `leave` has to follow. Rejects `BUSY` where too many wait
   * already, or for too long; and with the signal's reason.
   */
  enter(who: Waits): Promise<void>;
  leave(): void;
}

export interface Waits {
  /** For whom: tenants take turns. */
  readonly tenant?: string | undefined;
  /** Longest that it waits; never longer than `maxWaitMs`. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

interface Waiter {
  readonly sinceMs: number;
  proceed(): void;
  refuse(why: string): void;
}

/** Soonest that it is worth to ask again: small calls take less than a millisecond. */
const LEAST_RETRY_MS = 100;

export function makeTraffic(
  limits: TrafficLimits,
  onWaiting: (waiting: number) => void,
  now: () => number,
): Traffic {
  const { maxCalls, maxCallsPerPlugin, maxWaiting, maxWaitingPerPlugin, maxWaitMs } = limits;
  const line = makeFairLine<OpenLane, Waiter>();
  let underWay = 0;

  /** One has ended: at most one more has room. */
  const admitNext = (): void => {
    const next = line.take((lane) => lane.underWay < maxCallsPerPlugin);
    if (next === undefined) return;
    next.proceed();
    onWaiting(line.size);
  };

  const enter = (lane: OpenLane, { tenant = '', patienceMs, signal }: Waits): Promise<void> => {
    const place = { tenant, plugin: lane };
    const sinceMs = now();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        lane.waiting -= 1;
      };
      const leaveLine = (): void => {
        line.remove(place, waiter);
        settle();
        onWaiting(line.size);
      };
      const giveUp = (): void => {
        leaveLine();
        reject(signal.reason);
      };
      const waiter: Waiter = {
        sinceMs,
        proceed: () => {
          settle();
          begin(lane);
          resolve();
        },
        refuse: (why) => {
          // As long as the line takes now, as far as the one tells that is first in it.
          const { first } = line.at(place);
          const ageMs = now() - (first?.sinceMs ?? sinceMs);
          leaveLine();
          const retryAfterMs = Math.ceil(Math.min(maxWaitMs, Math.max(LEAST_RETRY_MS, ageMs)));
          reject(new BulkheadError('BUSY', `${why} ${REMEDY}`, { retryAfterMs }));
        },
      };
      const timer = setTimeout(
        () => waiter.refuse(tooLong(lane, now() - sinceMs)),
        Math.min(patienceMs, maxWaitMs),
      );
      signal.addEventListener('abort', giveUp, { once: true });
      line.add(place, waiter);
      lane.waiting += 1;
      onWaiting(line.size);
      if (line.at(place).size > maxWaitingPerPlugin) waiter.refuse(laneFull(lane));
      else if (line.size > maxWaiting) line.longest(place)?.refuse(allFull());
    });
  };

  const begin = (lane: OpenLane): void => {
    underWay += 1;
    lane.underWay += 1;
  };

  const laneFull = ({ plugin }: OpenLane): string =>
    `${plugin} has ${maxCallsPerPlugin} calls under way, as many as limits.maxCallsPerPlugin lets it, or the engine has limits.maxCalls; and as many wait as limits.maxWaitingPerPlugin lets wait.`;
  const allFull = (): string =>
    `${maxWaiting} calls wait for their turn, as many as limits.maxWaiting lets wait.`;
  const tooLong = ({ plugin }: OpenLane, waitedMs: number): string =>
    `A call of ${plugin} did not get its turn within ${Math.round(waitedMs)} ms.`;

  return {
    open: (plugin) => {
      const lane: OpenLane = { plugin, underWay: 0, waiting: 0 };
      let visits = 0;
      return {
        busy: () => lane.underWay + lane.waiting + visits > 0,
        visit: () => {
          visits += 1;
          return () => {
            visits -= 1;
          };
        },
        // Whoever waits while there is room waits for its own plugin, so that nobody is overtaken.
        tryEnter: () => {
          if (underWay >= maxCalls || lane.underWay >= maxCallsPerPlugin) return false;
          begin(lane);
          return true;
        },
        enter: (who) => enter(lane, who),
        leave: () => {
          underWay -= 1;
          lane.underWay -= 1;
          if (line.size > 0) admitNext();
        },
      };
    },
  };
}

interface OpenLane {
  readonly plugin: string;
  underWay: number;
  waiting: number;
}

const REMEDY = 'Nothing of it has run. Try again later.';
