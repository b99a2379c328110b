import type { Stop, Stops } from '../src/stops/stop.js';

/** Stops that only their list remembers. */
export function makeMemoryStops(): Stops {
  let stops: readonly Stop[] = [];
  const key = (target: Stop['target']): string => JSON.stringify(target);
  return {
    list: () => stops,
    stop: async (target, note) => {
      stops = [...stops, { target, ...note, atMs: 0 }];
    },
    resume: async (target) => {
      const before = stops.length;
      stops = stops.filter((one) => key(one.target) !== key(target));
      return stops.length < before;
    },
  };
}
