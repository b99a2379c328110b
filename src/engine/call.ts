import { RawJson } from '../../sandbox/wire/service.js';
import type { Json } from '../../sandbox/wire/messages.js';
import type { CatalogTool } from '../catalog/catalog.js';
import type { EventBus } from '../events.js';
import type { Format, PreparedCall } from '../formats/format.js';
import type { Guest } from '../guests/guest.js';
import type { Flight } from './calls-under-way.js';
import { startDeadline } from './deadline.js';
import type { CallOptions } from './options.js';
import type { Placed, PlacedHere } from './placement.js';
import { answerOf, type CallResult, type Failure, failureOf } from './result.js';

export interface CallLimits {
  readonly timeoutMs: number;
  readonly maxCallsPerPlugin: number;
  readonly maxResultBytes: number;
}

/** One call on its way: what was asked, by text that is made once. */
export interface CallSpec {
  readonly callId: string;
  readonly tool: CatalogTool;
  readonly place: Placed;
  readonly inputText: string;
  /** What the host tells the tool besides. Absent: the options' context, as it is. */
  readonly context?: PreparedCall['context'];
  readonly options: CallOptions;
  readonly limits: CallLimits;
  readonly events: EventBus;
  /** What has to be done before the plugin may do anything. Where it fails, the call does. */
  readonly beforeEffect?: () => Promise<void>;
}

/**
 * Runs a call whose turn it is to its end, within its deadline. Timed out means stopped: at the
 * deadline (or when the caller gives up) the caller is answered, the plugin's signal is aborted, and a
 * guest that has not settled the call by itself after the grace is killed.
 */
export function runCall(
  spec: CallSpec & { readonly place: PlacedHere },
  began: number,
  waitedMs: number,
): Promise<CallResult> {
  const { callId, tool, place, options, limits, events } = spec;
  const { lane, room, revoked } = place;
  const { resident } = room;
  const told = { format: place.format, tool };
  if (options.onOutput !== undefined) room.outputs.open(callId, options.onOutput);
  events.emit({
    type: 'call-started',
    call: callId,
    plugin: tool.plugin,
    tool: tool.tool,
    bundle: room.bundle.hash,
    risk: tool.risk,
    input: spec.inputText,
  });

  return new Promise((resolve) => {
    const deadlineMs = deadlineOf(tool, place.format, options, limits);
    const leftMs = deadlineMs - waitedMs;
    const deadlineAtMs = Date.now() + leftMs;
    let giveUp: ((why: string) => void) | undefined;
    let answered = false;

    const answer = (outcome: { readonly value: Json } | Failure): void => {
      if (answered) return;
      answered = true;
      deadline.clear();
      options.signal?.removeEventListener('abort', onAbort);
      revoked.off(onRevoked);
      if (options.onOutput !== undefined) room.outputs.close(callId);
      lane.leave();
      const result = answerOf(callId, began, outcome, told);
      events.emit({
        type: 'call-ended',
        call: callId,
        plugin: tool.plugin,
        tool: tool.tool,
        outcome: result.isError ? 'error' : 'ok',
        ...(result.code === undefined ? {} : { code: result.code }),
        ...('stack' in outcome && outcome.stack !== undefined
          ? { stack: room.mapStack(outcome.stack) }
          : {}),
        durationMs: result.durationMs,
      });
      resolve(result);
    };

    const stop = (failure: Failure): void => {
      answer(failure);
      giveUp?.(failure.message);
    };
    const deadline = startDeadline(leftMs, () => stop(tooLate(tool, deadlineMs)));
    const flight: Flight = {
      callId,
      tool,
      version: place.version,
      bundle: room.bundle.hash,
      inputText: spec.inputText,
      options,
      deadline,
    };
    const onAbort = (): void => stop(cancelled(tool));
    options.signal?.addEventListener('abort', onAbort);
    const onRevoked = (): void => stop(takenAway(tool));
    revoked.on(onRevoked);
    // Whoever was told that it started may have given it up at once.
    if (options.signal?.aborted === true) onAbort();

    const run = (guest: Guest): void => {
      if (answered) return;
      // While it was still idle, another plugin may have taken its place.
      if (!guest.alive) return start();
      room.calls.began(guest.peer, flight);
      const asked = guest.peer.ask(
        'call',
        new RawJson(callText(tool, spec, deadlineAtMs)),
        limits.maxResultBytes,
      );
      const ended = (outcome: { readonly value: Json } | Failure): void => {
        room.calls.ended(guest.peer, flight);
        answer(outcome);
      };
      const settled = asked.answer.then(
        (value) => ended({ value }),
        (error: unknown) => ended(failureOf(error, tool)),
      );
      giveUp = (why) => {
        asked.cancel(why);
        resident.doubt(guest, settled, `a call of ${tool.id} did not stop`);
      };
    };

    const start = (): void => {
      const waiting = new AbortController();
      giveUp = () => waiting.abort();
      resident
        .acquire({ signal: waiting.signal, tenant: options.tenant })
        .then(run, (error: unknown) => answer(failureOf(error, tool)));
    };

    const go = (): void => {
      if (answered) return;
      if (resident.current === undefined) start();
      else run(resident.current);
    };
    if (answered || spec.beforeEffect === undefined) go();
    else spec.beforeEffect().then(go, (error: unknown) => answer(failureOf(error, tool)));
  });
}

export function deadlineOf(
  tool: CatalogTool,
  { usualTimeoutMs = Infinity }: Pick<Format, 'usualTimeoutMs'>,
  options: CallOptions,
  limits: CallLimits,
): number {
  const given = options.timeoutMs ?? usualTimeoutMs;
  return Math.max(1, Math.min(tool.timeoutMs, given, limits.timeoutMs));
}

function callText(tool: CatalogTool, spec: CallSpec, deadlineAtMs: number): string {
  const { callId, inputText, options } = spec;
  const told = spec.context?.(deadlineAtMs) ?? options.context;
  const context = told === undefined ? 'null' : JSON.stringify(told);
  const incomplete = options.incomplete === true ? '"incomplete":true,' : '';
  const { surface } = tool;
  const from = surface === undefined ? '' : `"surface":${JSON.stringify(surface)},`;
  const output = options.onOutput === undefined ? '' : `"output":${JSON.stringify(callId)},`;
  return `{"tool":${JSON.stringify(tool.tool)},${from}${output}${incomplete}"input":${inputText},"context":${context}}`;
}

export function tooLate({ id }: CatalogTool, deadlineMs: number): Failure {
  return {
    code: 'DEADLINE_EXCEEDED',
    deadlineMs,
    message: `${id} did not finish within ${deadlineMs} ms and was stopped.`,
  };
}

export function cancelled({ id }: CatalogTool): Failure {
  return { code: 'CANCELLED', message: `The call of ${id} was cancelled.` };
}

export function takenAway({ id, plugin }: CatalogTool): Failure {
  return {
    code: 'PERMISSION_REVOKED',
    message: `${id} was stopped: the permission by which ${plugin} has it was taken away.`,
  };
}
