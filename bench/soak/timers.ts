/** The timers that were set since the count began and have neither fired nor been cleared. */
export interface TimerCount {
  /** The number of timers, and the places that set them, the most frequent first. */
  live(): { readonly count: number; readonly places: readonly string[] };
  stop(): void;
}

/**
 * Counts timers, also those that do not keep the process, which `process.getActiveResourcesInfo` leaves
 * out. `places` costs a stack for each timer.
 */
export function countTimers(places = false): TimerCount {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const live = new Map<unknown, string>();
  const remember = <Timer>(timer: Timer): Timer => {
    live.set(timer, places ? placeOf(new Error('set here')) : '');
    return timer;
  };
  const forget =
    (clear: typeof clearTimeout): typeof clearTimeout =>
    (timer) => {
      live.delete(timer);
      clear(timer);
    };
  const once = (listener: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
    const timer = setTimeout(() => {
      live.delete(timer);
      listener(...given);
    }, ms);
    return remember(timer);
  };
  const again = (...given: Parameters<typeof setInterval>) => remember(setInterval(...given));
  Object.assign(globalThis, {
    setTimeout: Object.assign(once, setTimeout),
    setInterval: again,
    clearTimeout: forget(clearTimeout),
    clearInterval: forget(clearInterval),
  });
  return {
    live: () => ({ count: live.size, places: byFrequency([...live.values()]) }),
    stop: () => {
      Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval });
    },
  };
}

function placeOf({ stack = '' }: Error): string {
  return stack.split('\n').slice(3, 5).join(' ').trim();
}

function byFrequency(places: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const place of places) counts.set(place, (counts.get(place) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([place, count]) => `${count} × ${place}`);
}
