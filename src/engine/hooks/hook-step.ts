import { WireError } from '../../../sandbox/wire/failure.js';
import { RawJson } from '../../../sandbox/wire/service.js';
import { isBulkheadError } from '../../errors.js';
import { endError, GuestEnded } from '../../guests/end.js';
import type { Guest } from '../../guests/guest.js';
import type { HookError, StepOutcome } from '../../hooks/chain.js';
import type { HookContext } from '../../hooks/context.js';
import type { ContextShape } from '../../hooks/contexts.js';
import { type ContextMessage, makeMessage } from '../../hooks/message.js';
import type { HookDialect } from '../../hooks/names.js';
import type { HookCourier } from './hook-courier.js';
import type { Resident } from '../entry/resident.js';
import type { RunningHooks } from './running-hooks.js';

/** Where hooks run: an entry's guest, and those that run in it now. */
export interface HookRoom {
  readonly running: RunningHooks;
  readonly resident: Pick<Resident, 'doubt'>;
  readonly mapStack: (stack: string) => string;
}

/** How one plugin's hook is run. */
export interface HookRunSpec {
  readonly plugin: string;
  readonly dialect: HookDialect;
  readonly room: HookRoom;
  readonly courier: HookCourier;
  readonly deadlineMs: number;
  /** Bytes of JSON of what it may change. */
  readonly maxHookChangeBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** The guest that it runs in. */
  readonly acquire: () => Guest | Promise<Guest>;
}

/**
 * Runs a hook within its deadline. Timed out means stopped: the chain goes on at once, and a guest
 * that has not settled the hook after the grace is killed. Whatever it says later is not heard.
 */
export function runHook(
  spec: HookRunSpec,
  context: HookContext,
  shape: ContextShape,
): Promise<StepOutcome> {
  const { plugin, room, deadlineMs, signal } = spec;
  const { hook } = context;
  if (signal?.aborted === true) return Promise.resolve(failed(cancelled(plugin, hook)));
  const conversationId = context.values.get('conversationId');
  const run = room.running.begin({
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
      room.running.end(run);
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
      // What it took to start a guest, which has a deadline of its own, is not the hook's doing.
      timer = setTimeout(() => stop(tooLate(plugin, hook, deadlineMs)), deadlineMs);
      const message = messageOf(context, shape, spec.dialect);
      const text = spec.courier.pack(guest, message, run, spec.maxHookChangeBytes);
      const asked = guest.peer.ask('hook', new RawJson(text), spec.maxHookChangeBytes);
      const settled = asked.answer.then(
        (reply) => answer({ reply }),
        (error: unknown) => answer(outcomeOf(error, spec, hook)),
      );
      giveUp = (why) => {
        asked.cancel(why);
        room.resident.doubt(guest, settled, `its hook ${hook} did not stop`);
      };
    };
    Promise.resolve()
      .then(spec.acquire)
      .then(ask)
      .catch((error: unknown) => answer(outcomeOf(error, spec, hook)));
  });
}

/** By context, and made once for all plugins of a dialect. */
const messages = new WeakMap<HookContext, Partial<Record<HookDialect, ContextMessage>>>();

function messageOf(
  context: HookContext,
  shape: ContextShape,
  dialect: HookDialect,
): ContextMessage {
  const made = messages.get(context) ?? {};
  messages.set(context, made);
  return (made[dialect] ??= makeMessage(context, shape, dialect));
}

function outcomeOf(error: unknown, { plugin, room }: HookRunSpec, hook: string): StepOutcome {
  if (error instanceof GuestEnded) return failed(endError(plugin, error.end));
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
    ...(remote.stack === undefined ? {} : { stack: room.mapStack(remote.stack) }),
  };
}

/** What a guest refuses of its own accord. The plugin's code did not throw. */
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
