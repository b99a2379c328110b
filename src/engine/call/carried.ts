import { announceEnd } from './announce-end.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import { formatNamed } from '../../formats/table.js';
import type { CallProgress } from '../../remotes/remote.js';
import type { PlacedLocally } from '../plugins/placement.js';
import { isolationOf } from '../types/guest-options.js';
import type { CallOptions, Isolation } from '../types/options.js';
import type { Settings } from '../types/settings.js';
import { answerOf, type CallResult, type Failure, failureOf, removeTags } from '../types/result.js';
import { digestOf } from './admission.js';
import { CallEnd } from './call-end.js';
import {
  beforeEffectOf,
  type CallSpec,
  cancelled,
  type Deadline,
  deadlineOf,
  permissionRevoked,
  startDeadline,
} from './call.js';
import {
  type CarriedRequests,
  type CarriedRequestsSpec,
  makeCarriedRequests,
} from './carried-requests.js';
import { runPlaced } from './run.js';

/** Runs calls on other machines. */
export interface CallCarrier {
  /**
   * Resolves with the answer of the machine that ran the call, or with the reason why there is none. It
   * may reject with errors of this package.
   */
  run(call: CarriedCall): Promise<CallResult | Failure>;
}

/** An admitted call that leaves this process. */
export interface CarriedCall {
  readonly callId: string;
  readonly tool: CatalogTool;
  /** The hash of the artifact; `undefined` if the plugin was not accepted by a lock file. */
  readonly artifact: string | undefined;
  /** What an approval of this call covers: see `AdmittedCall.digest`. */
  readonly digest: string;
  /** The caller's input as JSON. */
  readonly inputText: string;
  readonly options: CallOptions;
  /** Milliseconds that the tool may run. */
  readonly timeoutMs: number;
  /** Whether the plugin keeps state between calls, in memory or in its storage. */
  readonly isStateful: boolean;
  /** Which calls may share a guest with it: see the option `isolation`. */
  readonly isolation: Isolation;
  /** Whether the operator allows a second run. */
  readonly isIdempotent: boolean;
  /** When the answer is not awaited any more. The call must then be stopped. */
  readonly end: CallEnd;
  /** What only this process may decide or do for the call. The deadline pauses while a person is asked. */
  readonly requests: CarriedRequests;
  readonly onOutput: ((chunk: string) => void) | undefined;
  readonly onProgress: ((progress: CallProgress) => void) | undefined;
}

/** Milliseconds after the deadline until a missing answer counts as lost. */
const REPLY_GRACE_MS = 2_000;

/**
 * Returns what runs admitted calls: here, or with a carrier on another machine. Tools of the host and of remote servers run here. The machine
 * that runs the call ends it at the deadline. If no answer arrives, the result is `CALL_UNKNOWN`.
 */
export function makeRun(
  carrier: CallCarrier | undefined,
  requests: CarriedRequestsSpec & { readonly settings: Pick<Settings, 'isolation'> },
): (spec: CallSpec) => Promise<CallResult> {
  if (carrier === undefined) return runPlaced;
  return (spec) => {
    const { place, tool } = spec;
    if ('remote' in place) return runPlaced(spec);
    const isolation = isolationOf(requests.settings, tool.plugin);
    return carry(
      { ...spec, place, isolation },
      carrier,
      makeCarriedRequests(requests, spec, place),
    );
  };
}

async function carry(
  spec: CallSpec & { readonly place: PlacedLocally } & Pick<CarriedCall, 'isolation'>,
  carrier: CallCarrier,
  requests: CarriedRequests,
): Promise<CallResult> {
  const { callId, tool, place, options, services } = spec;
  const { events, limits } = services;
  const began = performance.now();
  const about = { call: callId, plugin: tool.plugin, tool: tool.tool };
  const fail = (failure: Failure): CallResult =>
    answerOf(callId, began, failure, { format: place.format, tool });
  if (options.signal?.aborted === true) return fail(cancelled(tool));
  events.emit({
    type: 'call-started',
    ...about,
    bundle: place.hash,
    risk: tool.risk,
    input: spec.inputText,
    ...(spec.parent === undefined ? {} : { parent: spec.parent }),
    ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
  });
  const end = new CallEnd();
  let stop: (failure: Failure) => void = () => {};
  const stopped = new Promise<Failure>((resolve) => {
    stop = (failure) => {
      resolve(failure);
      end.end();
    };
  });
  const timeoutMs = deadlineOf(tool, place.format, options, limits);
  const deadline = startDeadline(timeoutMs + REPLY_GRACE_MS, () => stop(unknown(tool)));
  const onAbort = (): void => stop(cancelled(tool));
  const onRevoked = (): void => stop(permissionRevoked(tool));
  options.signal?.addEventListener('abort', onAbort);
  place.revoked.on(onRevoked);
  const running = { tool, options, stop: (failure: Failure) => stop(failure) };
  services.openCalls.add(running);
  // Nothing is passed on after the call has ended.
  const whileOpen = <Told>(listener: ((told: Told) => void) | undefined) =>
    listener && ((told: Told) => (end.isOver ? undefined : listener(told)));
  const run = async (): Promise<CallResult | Failure> => {
    await beforeEffectOf(spec)?.();
    const changed = spec.whyNotApproved?.();
    if (changed !== undefined) return changed;
    if (end.isOver) return cancelled(tool);
    return carrier.run({
      callId,
      tool,
      artifact: place.instance.bundle.artifact,
      digest: digestOf(spec),
      inputText: spec.givenText,
      options,
      timeoutMs,
      isStateful: isStateful(place),
      isolation: spec.isolation,
      isIdempotent: services.isIdempotent(tool),
      end,
      requests: { ...requests, allow: whilePaused(deadline, requests.allow) },
      onOutput: whileOpen(options.onOutput),
      onProgress: whileOpen(options.onProgress),
    });
  };
  const outcome = await Promise.race([
    run().catch((error: unknown) => failureOf(error, tool)),
    stopped,
  ]);
  deadline.clear();
  options.signal?.removeEventListener('abort', onAbort);
  place.revoked.off(onRevoked);
  services.openCalls.remove(running);
  end.end();
  const result =
    'content' in outcome
      ? { ...outcome, callId, durationMs: performance.now() - began }
      : fail(outcome);
  removeTags(result);
  announceEnd(events, about, result);
  return result;
}

/** The time of a person is not the call's. */
function whilePaused(
  deadline: Deadline,
  allow: CarriedRequests['allow'],
): CarriedRequests['allow'] {
  return async (held, signal) => {
    deadline.pause();
    try {
      await allow(held, signal);
    } finally {
      deadline.resume();
    }
  };
}

/** Whether what a call leaves behind is read by later calls of the same plugin. */
function isStateful({ instance, format }: PlacedLocally): boolean {
  return (
    instance.grant.permissions.storage ||
    instance.actsUncalled ||
    formatNamed(format.name).registersAtRunTime === true
  );
}

/** The call may have run, and its answer was lost. */
export function unknown({ id }: Pick<CatalogTool, 'id'>): Failure {
  return {
    code: 'CALL_UNKNOWN',
    message: `${id} was sent to a runner, and no answer came back. It may have run. It was not run again.`,
  };
}
