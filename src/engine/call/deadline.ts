/** A deadline that stands still while somebody is asked: people take longer than tools. */
export interface Deadline {
  /** May be called several times; each takes a `resume` of its own. */
  pause(): void;
  resume(): void;
  clear(): void;
}

export function startDeadline(ms: number, onPassed: () => void): Deadline {
  return new RunningDeadline(ms, onPassed);
}

/** A class, because every call has one. */
class RunningDeadline implements Deadline {
  readonly onPassed: () => void;
  leftMs: number;
  began: number;
  pauses = 0;
  over = false;
  timer: NodeJS.Timeout | undefined;

  constructor(ms: number, onPassed: () => void) {
    this.onPassed = onPassed;
    this.leftMs = ms;
    this.began = performance.now();
    this.timer = setTimeout(() => this.pass(), ms);
  }

  pass(): void {
    this.over = true;
    this.onPassed();
  }

  pause(): void {
    this.pauses += 1;
    if (this.pauses > 1 || this.over) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.leftMs -= performance.now() - this.began;
    // Whoever pauses it faster than timers are looked at does not thereby stop it.
    if (this.leftMs <= 0) this.pass();
  }

  resume(): void {
    this.pauses -= 1;
    if (this.pauses > 0 || this.over) return;
    this.began = performance.now();
    this.timer = setTimeout(() => this.pass(), this.leftMs);
  }

  clear(): void {
    this.over = true;
    clearTimeout(this.timer);
  }
}
