import { BulkheadError, type ErrorCode } from '../errors.js';
import type { GuestEndCause } from '../events.js';

/** How a guest ended, as far as the host knows. */
export interface GuestEnd {
  readonly cause: GuestEndCause;
  /** What happened, as the end of a sentence, or for `stopped` as a sentence. Without paths. */
  readonly detail: string;
  /** The plugin is not active any more, so that the next call gets no other guest. */
  readonly inactive?: true;
  /** Its process answered a moment ago: a plugin in it can be unloaded without force. */
  readonly responsive?: true;
  /** Several plugins were in the process, and any of them may have caused its end. */
  readonly ambiguous?: true;
}

/** The rejection of requests that were open when their guest ended. */
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
  /** The end of the process's standard error, where V8 writes why it crashed. */
  readonly stderrTail: string;
  /** The limit of its heap, in MiB. */
  readonly memoryMb?: number | undefined;
}

const OUT_OF_MEMORY =
  /out of memory|allocation failed|heap limit|bad_alloc|Cannot allocate memory/i;

/** The exit code of a wrapper whose process died of SIGXCPU. */
const XCPU_EXIT = 128 + 24;

/** Explains an exit that the host did not cause. */
export function explainExit({ exitCode, signal, stderrTail, memoryMb }: ExitFacts): GuestEnd {
  if (OUT_OF_MEMORY.test(stderrTail)) {
    const limit = memoryMb === undefined ? '' : ` of ${memoryMb} MiB`;
    return { cause: 'memory', detail: `it exceeded its memory limit${limit}` };
  }
  if (signal === 'SIGXCPU' || exitCode === XCPU_EXIT) {
    return { cause: 'cpu', detail: 'it exceeded the processor time of its life' };
  }
  return {
    cause: 'crash',
    detail: signal === null ? `it exited with code ${String(exitCode)}` : `it died of ${signal}`,
  };
}

const CODES = {
  closed: 'ENGINE_CLOSED',
  idle: 'NEIGHBOUR_ENDED',
  deadline: 'NEIGHBOUR_ENDED',
  replaced: 'NEIGHBOUR_ENDED',
  revoked: 'GUEST_KILLED',
  stopped: 'STOPPED',
  crash: 'GUEST_CRASHED',
  memory: 'GUEST_OUT_OF_MEMORY',
  cpu: 'GUEST_OUT_OF_CPU',
  protocol: 'PROTOCOL_VIOLATION',
  start: 'GUEST_START_FAILED',
} as const satisfies Record<GuestEndCause, ErrorCode>;

/** The error for a call that was open when its guest ended. */
export function endError(plugin: string, end: GuestEnd): BulkheadError {
  const { cause, detail, inactive, ambiguous } = end;
  if (inactive === true) return inactiveError(plugin, detail);
  if (cause === 'stopped') return new BulkheadError('STOPPED', detail, { stopped: plugin });
  if (CODES[cause] === 'NEIGHBOUR_ENDED') return neighbourError(plugin, detail);
  const shared = ambiguous === true ? ', which it shared with its trust group,' : '';
  return new BulkheadError(
    CODES[cause],
    `The guest of ${plugin}${shared} ended during the call: ${detail}. The next call gets a fresh guest.`,
    { plugin, reason: detail },
  );
}

/**
 * The error for a hook or an event handler that ran when its guest ended. The engine does not run it
 * again: the context may have changed meanwhile, and its plugin may have acted.
 */
export function handlerEndError(plugin: string, handler: string, end: GuestEnd): BulkheadError {
  if (!isNeighbours(end)) return endError(plugin, end);
  return new BulkheadError(
    'NEIGHBOUR_ENDED',
    `The guest of ${plugin} was stopped because of something else, while ${handler} ran in it: ${end.detail}. It is not run again. The next one gets a fresh guest.`,
    { plugin, reason: end.detail },
  );
}

/**
 * Whether the host ended the guest for another reason than the calls that were open in it: another
 * call, another plugin, or idleness that ended in the same moment.
 */
export function isNeighbours({ cause, inactive }: GuestEnd): boolean {
  return inactive !== true && CODES[cause] === 'NEIGHBOUR_ENDED';
}

function neighbourError(plugin: string, detail: string): BulkheadError<'NEIGHBOUR_ENDED'> {
  return new BulkheadError(
    'NEIGHBOUR_ENDED',
    `The guest of ${plugin} was stopped because of another call, while this one ran in it: ${detail}. This call was not run again, because it may have had effects. Call again if that is safe, or name its tool in the option idempotent.`,
    { plugin, reason: detail },
  );
}

/** The error for a call whose plugin became inactive during the call. */
function inactiveError(plugin: string, detail: string): BulkheadError {
  return new BulkheadError('PLUGIN_INACTIVE', `${plugin} ended during the call: ${detail}.`, {
    plugin,
    reasons: [detail],
  });
}

/** The error for a request to a plugin that the engine unloaded. */
export function unloadedError(plugin: string, { inactive, detail }: GuestEnd): BulkheadError {
  if (inactive === true) return inactiveError(plugin, detail);
  return new BulkheadError('ENGINE_CLOSED', `The engine unloaded ${plugin}.`, {});
}
