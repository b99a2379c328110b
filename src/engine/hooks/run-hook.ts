import { WireError } from '../../../sandbox/wire/failure.js';
import { RawJson } from '../../../sandbox/wire/service.js';
import { isBulkheadError } from '../../errors.js';
import { GuestEnded, handlerEndError } from '../../guests/end.js';
import type { Guest } from '../../guests/guest.js';
import type { HookSemantics } from '../../plugin/hooks.js';
import type { GuestSupervisor } from '../instance/guest-supervisor.js';
import type { RunningHooks } from '../instance/in-flight.js';
import type { HookError, StepOutcome } from './chain.js';
import type { HookContext } from './context.js';
import type { ContextShape } from './contexts.js';
import { type ContextMessage, type HookTransport, makeMessage } from './transport.js';

/** The entry whose guest runs the hook. */
export interface HookTarget {
  readonly runningHooks: RunningHooks;
  readonly guests: Pick<GuestSupervisor, 'giveUp'>;
  readonly mapStack: (stack: string) => string;
}

/** Options for one run of one plugin's hook. */
export interface HookRunSpec {
  readonly plugin: string;
  readonly semantics: HookSemantics;
  readonly instance: HookTarget;
  readonly transport: HookTransport;
  readonly deadlineMs: number;
  /** Most bytes of JSON that the hook may change. */
  readonly maxHookChangeBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Returns the guest that runs the hook. */
  readonly acquire: () => Guest | Promise<Guest>;
}

/**
 * Runs a hook within its deadline. At the deadline the chain continues without it, and a late answer
 * is ignored. `GuestSupervisor.giveUp` decides what becomes of the guest.
 */
export function runHook(
  spec: HookRunSpec,
  context: HookContext,
  shape: ContextShape,
): Promise<StepOutcome> {
  const { plugin, instance, deadlineMs, signal } = spec;
  const { hook } = context;
  if (signal?.aborted === true) return Promise.resolve(failed(cancelled(plugin, hook)));
  const conversationId = context.values.get('conversationId');
  const run = instance.runningHooks.begin({
    hook,
    ...(typeof conversationId === 'string' ? { conversationId } : {}),
    broadcasts: shape.lends.includes('broadcast'),
  });
  return new Promise((resolve) => {
    let giveUp: ((why: string) => void) | undefined;
    let answered = false;
    const answer = (outcome: StepOutcome): void => {
      if (answered) return;
      answered = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      instance.runningHooks.end(run);
      resolve(outcome);
    };
    const stop = (error: HookError): void => {
      answer(failed(error));
      giveUp?.(error.message);
    };
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => stop(cancelled(plugin, hook));
    signal?.addEventListener('abort', onAbort);

    const ask = (guest: Guest): void => {
      if (answered) return;
      // The hook's deadline excludes the start of the guest, which has its own deadline.
      // guard: hook-deadline
      timer = setTimeout(() => stop(tooLate(plugin, hook, deadlineMs)), deadlineMs);
      const message = messageOf(context, shape, spec.semantics);
      const text = spec.transport.pack(guest, message, run, spec.maxHookChangeBytes);
      const asked = guest.peer.ask('hook', new RawJson(text), spec.maxHookChangeBytes);
      const settled = asked.answer.then(
        (reply) => answer({ reply }),
        (error: unknown) => answer(outcomeOf(error, spec, hook)),
      );
      giveUp = (why) => {
        asked.cancel(why);
        // guard: late-hook-given-up
        instance.guests.giveUp(guest, { settled, detail: `its hook ${hook} did not stop` });
      };
    };
    Promise.resolve()
      .then(spec.acquire)
      .then(ask)
      .catch((error: unknown) => answer(outcomeOf(error, spec, hook)));
  });
}

/** Built once for each context and semantics, and shared by all plugins. */
const messages = new WeakMap<HookContext, Partial<Record<HookSemantics, ContextMessage>>>();

function messageOf(
  context: HookContext,
  shape: ContextShape,
  semantics: HookSemantics,
): ContextMessage {
  const made = messages.get(context) ?? {};
  messages.set(context, made);
  return (made[semantics] ??= makeMessage(context, shape, semantics));
}

function outcomeOf(error: unknown, { plugin, instance }: HookRunSpec, hook: string): StepOutcome {
  if (error instanceof GuestEnded) {
    return failed(handlerEndError(plugin, `its hook ${hook}`, error.end));
  }
  if (!(error instanceof WireError)) {
    if (isBulkheadError(error)) return failed(error);
    throw error;
  }
  const { code = 'HOOK_FAILED', message, remote } = error;
  const words = message === '' ? 'without saying why' : message;
  const ours = NOT_THROWN.has(code);
  return {
    error: { code, message: ours ? words : `The hook ${hook} of ${plugin} failed: ${words}` },
    thrown: !ours,
    ...(remote.stack === undefined ? {} : { stack: instance.mapStack(remote.stack) }),
  };
}

/** Codes of errors that the guest runtime raises. The plugin's code did not throw. */
const NOT_THROWN: ReadonlySet<string> = new Set([
  'LOAD_FAILED',
  'BUNDLE_FAILED',
  'OUTSIDE_PLUGIN',
  'INVALID_HOOK_CHANGE',
  'RESULT_INVALID',
  'RESULT_TOO_LARGE',
]);

function failed({ code, message }: HookError): StepOutcome {
  return { error: { code, message }, thrown: false };
}

function tooLate(plugin: string, hook: string, deadlineMs: number): HookError {
  return {
    code: 'DEADLINE_EXCEEDED',
    message: `The hook ${hook} of ${plugin} did not finish within ${deadlineMs} ms and was stopped.`,
  };
}

function cancelled(plugin: string, hook: string): HookError {
  return { code: 'CANCELLED', message: `The hook ${hook} of ${plugin} was cancelled.` };
}
