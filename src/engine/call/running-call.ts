import type { Json } from '../../../sandbox/wire/messages.js';
import { RawJson, type Waiter } from '../../../sandbox/wire/service.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { Guest } from '../../guests/guest.js';
import { type CallSpec, cancelled, deadlineOf, takenAway, tooLate } from './call.js';
import type { Flight } from './calls-under-way.js';
import { type Deadline, startDeadline } from './deadline.js';
import type { CallOptions } from '../options/options.js';
import type { PlacedHere } from './placement.js';
import { answerOf, type CallResult, type Failure, failureOf } from './result.js';

/**
 * Runs a call whose turn it is to its end, within its deadline. Timed out means stopped: at the
 * deadline (or when the caller gives up) the caller is answered, the plugin's signal is aborted, and a
 * guest that has not settled the call by itself after the grace is killed.
 */
export function runCall(
  spec: CallSpec,
  place: PlacedHere,
  began: number,
  waitedMs: number,
): Promise<CallResult> {
  return new Promise((resolve) => {
    new RunningCall(spec, place, began, waitedMs, resolve).begin();
  });
}

/** A class, because there is one for every call: its steps as closures were most of what a call cost. */
class RunningCall implements Flight, Waiter {
  readonly callId: string;
  readonly tool: CatalogTool;
  readonly version: string | undefined;
  readonly bundle: string;
  readonly inputText: string;
  readonly options: CallOptions;
  readonly deadline: Deadline;
  readonly spec: CallSpec;
  /** In a room that may be this call's alone. */
  readonly place: PlacedHere;
  readonly began: number;
  readonly deadlineMs: number;
  readonly deadlineAtMs: number;
  readonly resolve: (result: CallResult) => void;
  readonly onRevoked: () => void;
  readonly onAbort: (() => void) | undefined;
  readonly maxAnswerBytes: number;
  over = false;
  /** Gives up waiting for a guest. */
  waiting: AbortController | undefined;
  /** The guest that was asked, and as which request, until it has settled that. */
  guest: Guest | undefined;
  request = 0;
  /** Who wants to know when a guest that was given up has settled what it was asked. */
  onEnded: (() => void) | undefined;

  constructor(
    spec: CallSpec,
    place: PlacedHere,
    began: number,
    waitedMs: number,
    resolve: (result: CallResult) => void,
  ) {
    const { callId, tool, options, limits, inputText } = spec;
    this.callId = callId;
    this.tool = tool;
    this.version = place.version;
    this.bundle = place.room.bundle.hash;
    this.inputText = inputText;
    this.options = options;
    this.spec = spec;
    this.place = place;
    this.began = began;
    this.maxAnswerBytes = limits.maxResultBytes;
    this.resolve = resolve;
    const deadlineMs = deadlineOf(tool, place.format, options, limits);
    const leftMs = deadlineMs - waitedMs;
    this.deadlineMs = deadlineMs;
    this.deadlineAtMs = Date.now() + leftMs;
    this.deadline = startDeadline(leftMs, () => this.stop(tooLate(tool, deadlineMs)));
    this.onRevoked = () => this.stop(takenAway(tool));
    this.onAbort = options.signal && (() => this.stop(cancelled(tool)));
  }

  begin(): void {
    const { callId, tool, place, options, bundle, onAbort, inputText } = this;
    const { events, beforeEffect } = this.spec;
    if (options.onOutput !== undefined) place.room.outputs.open(callId, options.onOutput);
    if (events.hears('call-started')) {
      events.emit({
        type: 'call-started',
        call: callId,
        plugin: tool.plugin,
        tool: tool.tool,
        bundle,
        risk: tool.risk,
        input: inputText,
      });
    }
    place.revoked.on(this.onRevoked);
    if (onAbort !== undefined) options.signal?.addEventListener('abort', onAbort);
    // Whoever was told that it started may have given it up at once.
    if (options.signal?.aborted === true) onAbort?.();
    if (this.over || beforeEffect === undefined) this.go();
    else {
      beforeEffect().then(
        () => this.go(),
        (error: unknown) => this.answer(failureOf(error, tool)),
      );
    }
  }

  go(): void {
    if (this.over) return;
    const { current } = this.place.room.resident;
    if (current === undefined) this.start();
    else this.run(current);
  }

  start(): void {
    this.waiting = new AbortController();
    this.place.room.resident
      .acquire({ signal: this.waiting.signal, tenant: this.options.tenant })
      .then(
        (guest) => this.run(guest),
        (error: unknown) => this.answer(failureOf(error, this.tool)),
      );
  }

  run(guest: Guest): void {
    if (this.over) return;
    // While it was still idle, another plugin may have taken its place.
    if (!guest.alive) return this.start();
    this.guest = guest;
    this.place.room.calls.began(guest.peer, this);
    const text = new RawJson(callText(this.tool, this.spec, this.deadlineAtMs));
    this.request = guest.peer.request('call', text, this);
  }

  answered(value: Json): void {
    this.ended({ value });
  }

  failed(error: Error): void {
    this.ended(failureOf(error, this.tool));
  }

  ended(outcome: Outcome): void {
    if (this.guest !== undefined) this.place.room.calls.ended(this.guest.peer, this);
    this.guest = undefined;
    this.answer(outcome);
    this.onEnded?.();
  }

  stop(failure: Failure): void {
    if (this.over) return;
    this.answer(failure);
    const { guest, tool } = this;
    this.waiting?.abort();
    if (guest === undefined) return;
    guest.peer.cancel(this.request, failure.message);
    const ended = new Promise<void>((resolve) => {
      this.onEnded = resolve;
    });
    this.place.room.resident.doubt(guest, ended, `a call of ${tool.id} did not stop`);
  }

  answer(outcome: Outcome): void {
    if (this.over) return;
    this.over = true;
    const { callId, tool, options, onAbort, spec } = this;
    const { lane, revoked, room, format } = this.place;
    this.deadline.clear();
    if (onAbort !== undefined) options.signal?.removeEventListener('abort', onAbort);
    revoked.off(this.onRevoked);
    if (options.onOutput !== undefined) room.outputs.close(callId);
    lane.leave();
    const result = answerOf(callId, this.began, outcome, { format, tool });
    if (spec.events.hears('call-ended')) this.tellEnd(result, outcome);
    // A job later: what its caller does with the answer is not counted as the guest's doing.
    void NOW.then(() => this.resolve(result));
  }

  tellEnd({ isError, code, durationMs }: CallResult, outcome: Outcome): void {
    const { callId, tool, place, spec } = this;
    spec.events.emit({
      type: 'call-ended',
      call: callId,
      plugin: tool.plugin,
      tool: tool.tool,
      outcome: isError ? 'error' : 'ok',
      ...(code === undefined ? {} : { code }),
      ...('stack' in outcome && outcome.stack !== undefined
        ? { stack: place.room.mapStack(outcome.stack) }
        : {}),
      durationMs,
    });
  }
}

const NOW: Promise<void> = Promise.resolve();

type Outcome = { readonly value: Json } | Failure;

function callText(tool: CatalogTool, spec: CallSpec, deadlineAtMs: number): string {
  const { callId, inputText, options } = spec;
  const told = spec.context?.(deadlineAtMs);
  const context = told === undefined ? (spec.contextText ?? 'null') : JSON.stringify(told);
  const incomplete = options.incomplete === true ? '"incomplete":true,' : '';
  const { surface } = tool;
  const from = surface === undefined ? '' : `"surface":${JSON.stringify(surface)},`;
  const output = options.onOutput === undefined ? '' : `"output":${JSON.stringify(callId)},`;
  return `{"tool":${JSON.stringify(tool.tool)},${from}${output}${incomplete}"input":${inputText},"context":${context}}`;
}
