/** A timer that is set, put off and stopped many times while bytes flow. */
export interface Alarm {
  /** Goes off `ms` from now, whatever was set before. */
  set(): void;
  stop(): void;
}

export function makeAlarm(ms: number, ring: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined;
  return {
    set: () => {
      // `refresh` reuses the timer: setting one for every chunk would cost more than the chunk.
      if (timer === undefined) timer = setTimeout(ring, ms).unref();
      else timer.refresh();
    },
    stop: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
