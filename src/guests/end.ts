import { BulkheadError, type ErrorCode } from '../errors.js';
import type { GuestEndCause } from '../events.js';

/** How a guest ended, as far as the host can tell. */
export interface GuestEnd {
  readonly cause: GuestEndCause;
  /** What happened, after "the guest ended because"; without paths. */
  readonly detail: string;
  /** Its plugin does not run any more, so that no call after this one gets another guest. */
  readonly inactive?: true;
}

/** What requests reject with that were under way when their guest ended. */
export class GuestEnded extends Error {
  override readonly name = 'GuestEnded';
  readonly end: GuestEnd;

  constructor(end: GuestEnd) {
    super(end.detail);
    this.end = end;
  }
}

export interface ExitFacts {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last that the process wrote to its standard error: V8's own last words, or nothing. */
  readonly lastWords: string;
}

const OUT_OF_MEMORY =
  /out of memory|allocation failed|heap limit|bad_alloc|Cannot allocate memory/i;

/** What a wrapper exits with that waited for a process which died of SIGXCPU. */
const XCPU_EXIT = 128 + 24;

/** Reads an exit that the host did not cause. */
export function explainExit({ exitCode, signal, lastWords }: ExitFacts): GuestEnd {
  if (OUT_OF_MEMORY.test(lastWords)) {
    return { cause: 'memory', detail: 'it used more memory than it may' };
  }
  if (signal === 'SIGXCPU' || exitCode === XCPU_EXIT) {
    return { cause: 'cpu', detail: 'it used up the processor time of its whole life' };
  }
  return {
    cause: 'crash',
    detail: signal === null ? `it exited with code ${String(exitCode)}` : `it died of ${signal}`,
  };
}

const CODES = {
  closed: 'ENGINE_CLOSED',
  idle: 'GUEST_KILLED',
  deadline: 'GUEST_KILLED',
  replaced: 'GUEST_KILLED',
  revoked: 'GUEST_KILLED',
  crash: 'GUEST_CRASHED',
  memory: 'GUEST_OUT_OF_MEMORY',
  cpu: 'GUEST_OUT_OF_CPU',
  protocol: 'PROTOCOL_VIOLATION',
  start: 'GUEST_START_FAILED',
} as const satisfies Record<GuestEndCause, ErrorCode>;

/** The error for a call of `plugin` that was under way when its guest ended so. */
export function endError(plugin: string, { cause, detail, inactive }: GuestEnd): BulkheadError {
  if (inactive === true) return inactiveError(plugin, detail);
  return new BulkheadError(
    CODES[cause],
    `The guest of ${plugin} ended during the call: ${detail}. The next call gets a fresh guest.`,
    { plugin, reason: detail },
  );
}

/** The error for a call of a plugin that does not run any more, and did when the call was made. */
export function inactiveError(plugin: string, detail: string): BulkheadError {
  return new BulkheadError('PLUGIN_INACTIVE', `${plugin} ended during the call: ${detail}.`, {
    plugin,
    reasons: [detail],
  });
}
