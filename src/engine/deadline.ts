/** A deadline that stands still while somebody is asked: people take longer than tools. */
export interface Deadline {
  /** May be called several times; each takes a `resume` of its own. */
  pause(): void;
  resume(): void;
  clear(): void;
}

export function startDeadline(ms: number, onPassed: () => void): Deadline {
  let leftMs = ms;
  let began = performance.now();
  let pauses = 0;
  let over = false;
  let timer: NodeJS.Timeout | undefined = setTimeout(onPassed, leftMs);
  return {
    pause: () => {
      pauses += 1;
      if (pauses > 1 || over) return;
      clearTimeout(timer);
      timer = undefined;
      leftMs = Math.max(1, leftMs - (performance.now() - began));
    },
    resume: () => {
      pauses -= 1;
      if (pauses > 0 || over) return;
      began = performance.now();
      timer = setTimeout(onPassed, leftMs);
    },
    clear: () => {
      over = true;
      clearTimeout(timer);
    },
  };
}
