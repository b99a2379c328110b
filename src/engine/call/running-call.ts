import type { Json } from '../../../sandbox/wire/messages.js';
import { RawJson, type ResponseHandler } from '../../../sandbox/wire/service.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import { isBulkheadError } from '../../errors.js';
import { GuestEnded, isNeighbours } from '../../guests/end.js';
import type { Guest } from '../../guests/guest.js';
import { isComputing } from '../../processor.js';
import { subjectHashOf } from '../../plugin/plugin.js';
import type { OpenCall } from '../instance/in-flight.js';
import { openRequestsOf } from '../instance/open-requests.js';
import type { PlacedLocally } from '../plugins/placement.js';
import type { CallOptions } from '../types/options.js';
import { answerOf, type CallResult, type Failure, failureOf } from '../types/result.js';
import { announceEnd } from './announce-end.js';
import {
  beforeEffectOf,
  type CallSpec,
  cancelled,
  type Deadline,
  deadlineExceeded,
  deadlineOf,
  permissionRevoked,
  startDeadline,
  type Work,
} from './call.js';

/**
 * Runs an admitted call within its deadline. At the deadline, or when the caller aborts, the caller
 * gets an error result, the plugin's signal and the requests made with it are aborted, and a later
 * answer is dropped. `GuestSupervisor.giveUp` decides what becomes of the guest.
 *
 * If the guest is killed because of another call, or crashes with several plugins in it, this call runs
 * again in another guest, once, unless it may have had effects. Then it fails, after a kill with
 * `NEIGHBOUR_ENDED`.
 */
export function runCall(
  spec: CallSpec,
  place: PlacedLocally,
  began: number,
  waitedMs: number,
): Promise<CallResult> {
  return new Promise((resolve) => {
    new RunningCall(spec, place, began, waitedMs, resolve).begin();
  });
}

class RunningCall implements OpenCall, ResponseHandler {
  readonly callId: string;
  readonly tool: CatalogTool;
  readonly version: string | undefined;
  readonly bundle: string;
  readonly inputText: string;
  readonly options: CallOptions;
  readonly deadline: Deadline;
  readonly spec: CallSpec;
  /** Its instance may belong to this call alone (dry run, recording). */
  readonly place: PlacedLocally;
  readonly began: number;
  readonly deadlineMs: number;
  readonly deadlineAtMs: number;
  readonly resolve: (result: CallResult) => void;
  readonly onRevoked: () => void;
  readonly onAbort: (() => void) | undefined;
  readonly maxAnswerBytes: number;
  over = false;
  /** No answer counts from here on, although the call ends only once it is known what the guest does. */
  pastDeadline = false;
  /** Aborts the wait for a guest. */
  waiting: AbortController | undefined;
  /** The guest that runs the call, until it settles `request`. */
  guest: Guest | undefined;
  request = 0;
  /** What the guest had done when it got the call: see `CallTracker.actedSince`. */
  actsBefore = 0;
  hasRunAgain = false;
  /** Called when the guest has settled the given-up call after all. */
  onEnded: (() => void) | undefined;

  constructor(
    spec: CallSpec,
    place: PlacedLocally,
    began: number,
    waitedMs: number,
    resolve: (result: CallResult) => void,
  ) {
    const { callId, tool, options, inputText } = spec;
    const { limits } = spec.services;
    this.callId = callId;
    this.tool = tool;
    this.version = place.version;
    this.bundle = subjectHashOf(place.instance.bundle);
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
    // guard: call-deadline
    this.deadline = startDeadline(leftMs, () => void this.stopAtDeadline());
    this.onRevoked = () => this.stop(permissionRevoked(tool));
    this.onAbort = options.signal && (() => this.stop(cancelled(tool)));
  }

  get inGuest(): OpenCall {
    return this;
  }

  begin(): void {
    const { callId, tool, place, options, bundle, onAbort, inputText } = this;
    const { events } = this.spec.services;
    const beforeEffect = beforeEffectOf(this.spec);
    this.spec.services.openCalls.add(this);
    if (isListened(options)) place.instance.outputs.open(callId, options);
    if (events.hasListener('call-started')) {
      events.emit({
        type: 'call-started',
        call: callId,
        plugin: tool.plugin,
        tool: tool.tool,
        bundle,
        risk: tool.risk,
        input: inputText,
        ...(this.spec.parent === undefined ? {} : { parent: this.spec.parent }),
        ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
        ...(options.dryRun === true ? { mode: 'dry-run' } : {}),
      });
    }
    place.revoked.on(this.onRevoked);
    if (onAbort !== undefined) options.signal?.addEventListener('abort', onAbort);
    // A listener of `call-started` may have aborted the call.
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
    const guest = this.place.instance.guests.guestFor(this.options.tenant);
    if (guest === undefined) this.start();
    else this.run(guest);
  }

  start(): void {
    this.waiting = new AbortController();
    this.place.instance.guests
      .acquire({ signal: this.waiting.signal, tenant: this.options.tenant })
      .then(
        (guest) => this.run(guest),
        (error: unknown) => {
          // A neighbour's end took the guest before it had the call.
          if (isBulkheadError(error, 'NEIGHBOUR_ENDED') && this.runAgain(error.message)) return;
          this.answer(failureOf(error, this.tool));
        },
      );
  }

  run(guest: Guest): void {
    if (this.over) return;
    // The idle guest may have been evicted for another plugin.
    if (!guest.alive) return this.start();
    const changed = this.spec.whyNotApproved?.();
    // guard: approved-call-compared-when-it-runs
    if (changed !== undefined) return this.answer(changed);
    this.guest = guest;
    this.actsBefore = this.place.instance.calls.began(guest.peer, this);
    const text = new RawJson(callText(this.tool, this.spec, this.deadlineAtMs));
    this.request = guest.peer.request('call', text, this);
  }

  /** Runs the call in another guest, if it has not run twice already. */
  runAgain(reason: string): boolean {
    if (this.over || this.hasRunAgain) return false;
    this.hasRunAgain = true;
    const { callId, tool, spec } = this;
    const { events } = spec.services;
    events.emit({ type: 'call-rerun', call: callId, plugin: tool.plugin, tool: tool.tool, reason });
    this.go();
    return true;
  }

  /** Whether a second run repeats no effect, or the operator allows it. */
  mayRunAgain(guest: Guest): boolean {
    const { tool, place, spec } = this;
    // guard: acting-call-not-run-again
    const hasActed = place.instance.calls.actedSince(guest.peer, this.actsBefore);
    return !hasActed || spec.services.isIdempotent(tool);
  }

  answered(value: Json): void {
    this.ended(this.pastDeadline ? deadlineExceeded(this.tool, this.deadlineMs) : { value });
  }

  failed(error: Error): void {
    const { guest } = this;
    const end = error instanceof GuestEnded ? error.end : undefined;
    const isOfAnother = end !== undefined && (isNeighbours(end) || end.ambiguous === true);
    if (guest === undefined || !isOfAnother || !this.mayRunAgain(guest)) {
      return this.ended(failureOf(error, this.tool));
    }
    this.place.instance.calls.ended(guest.peer, this);
    this.guest = undefined;
    const again = (): void => {
      if (!this.runAgain(end.detail)) this.ended(failureOf(error, this.tool));
    };
    // After a crash of several plugins, each of them gets guests of its own at the end of the guest.
    if (end.ambiguous === true) void guest.ended.then(again);
    else again();
  }

  ended(outcome: Outcome): void {
    if (this.guest !== undefined) this.place.instance.calls.ended(this.guest.peer, this);
    this.guest = undefined;
    this.answer(outcome);
    this.onEnded?.();
  }

  async stopAtDeadline(): Promise<void> {
    this.pastDeadline = true;
    const work = await workOf(this.guest);
    this.stop(deadlineExceeded(this.tool, this.deadlineMs, work));
  }

  stop(failure: Failure): void {
    if (this.over) return;
    this.answer(failure);
    const { guest, tool } = this;
    this.waiting?.abort();
    if (guest === undefined) return;
    const { guests, calls } = this.place.instance;
    guest.peer.cancel(this.request, failure.message);
    calls.givenUp(guest.peer, this.request, failure.message);
    const settled = new Promise<void>((resolve) => {
      this.onEnded = resolve;
    });
    const detail = `a call of ${tool.id} did not stop`;
    guests.giveUp(guest, { settled, tenant: this.options.tenant, detail });
  }

  answer(outcome: Outcome): void {
    if (this.over) return;
    this.over = true;
    const { callId, tool, options, onAbort, spec } = this;
    const { queue, revoked, instance, format } = this.place;
    this.deadline.clear();
    spec.services.openCalls.remove(this);
    if (onAbort !== undefined) options.signal?.removeEventListener('abort', onAbort);
    revoked.off(this.onRevoked);
    if (isListened(options)) instance.outputs.close(callId);
    queue.leave();
    const result = answerOf(callId, this.began, outcome, { format, tool });
    this.announceEnd(result, outcome);
    // Resolves in a later microtask, so the caller's work is not attributed to the guest.
    void NOW.then(() => this.resolve(result));
  }

  announceEnd(result: CallResult, outcome: Outcome): void {
    const { callId, tool, place, spec } = this;
    const { events } = spec.services;
    // Nearly every call ends without a listener, or without a stack.
    if (!events.hasListener('call-ended') && !events.hasListener('call-answered')) return;
    const stack =
      'stack' in outcome && outcome.stack !== undefined
        ? place.instance.mapStack(outcome.stack)
        : undefined;
    announceEnd(events, { call: callId, plugin: tool.plugin, tool: tool.tool }, result, {
      stack,
      ...('message' in outcome ? { message: outcome.message } : {}),
    });
  }
}

async function workOf(guest: Guest | undefined): Promise<Work | undefined> {
  if (guest === undefined) return undefined;
  const waitedFor = openRequestsOf(guest.peer);
  const computes = await isComputing(guest.pid);
  return computes === undefined ? undefined : computes ? 'computed' : { waitedFor };
}

function isListened({ onOutput, onProgress }: CallOptions): boolean {
  return onOutput !== undefined || onProgress !== undefined;
}

const NOW: Promise<void> = Promise.resolve();

type Outcome = { readonly value: Json } | Failure;

function callText(tool: CatalogTool, spec: CallSpec, deadlineAtMs: number): string {
  const { callId, inputText, options } = spec;
  const own = spec.context?.(deadlineAtMs);
  const context = own === undefined ? (spec.contextText ?? 'null') : JSON.stringify(own);
  const incomplete = options.incomplete === true ? '"incomplete":true,' : '';
  const { surface } = tool;
  const from = surface === undefined ? '' : `"surface":${JSON.stringify(surface)},`;
  const output = isListened(options) ? `"output":${JSON.stringify(callId)},` : '';
  return `{"tool":${JSON.stringify(tool.tool)},${from}${output}${incomplete}"input":${inputText},"context":${context}}`;
}
