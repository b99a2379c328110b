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
  const pass = (): void => {
    over = true;
    onPassed();
  };
  let timer: NodeJS.Timeout | undefined = setTimeout(pass, leftMs);
  return {
    pause: () => {
      pauses += 1;
      if (pauses > 1 || over) return;
      clearTimeout(timer);
      timer = undefined;
      leftMs -= performance.now() - began;
      // Whoever pauses it faster than timers are looked at does not thereby stop it.
      if (leftMs <= 0) pass();
    },
    resume: () => {
      pauses -= 1;
      if (pauses > 0 || over) return;
      began = performance.now();
      timer = setTimeout(pass, leftMs);
    },
    clear: () => {
      over = true;
      clearTimeout(timer);
    },
  };
}
