import { isBulkheadError } from '../../errors.js';
import type { Instance, TenantInstances } from '../instance/instance.js';
import { makeDryRun } from '../instance/dry-run-mode.js';
import type { PlacedLocally } from '../plugins/placement.js';
import { answerOf, type CallResult, type Failure, failureOf } from '../types/result.js';
import { type CallSpec, cancelled, deadlineOf, permissionRevoked } from './call.js';
import { runRemoteCall } from './remote-call.js';
import { runCall } from './running-call.js';

/** Runs a call, and lists its denials in the result. */
export async function runPlaced(spec: CallSpec): Promise<CallResult> {
  const watch = spec.services.denials.watch(spec.tool.plugin, spec.callId);
  try {
    const result = await runAsAsked(spec);
    const ended = watch.end();
    return ended.denied === undefined ? result : { ...result, ...ended };
  } finally {
    watch.end();
  }
}

/** Runs a call in the instance that its tenant shares, or in one of its own: option `isolation`. */
function runAsAsked(spec: CallSpec): Promise<CallResult> {
  const { place } = spec;
  if ('remote' in place || place.instance.tenants === undefined) return runHere(spec);
  return runIsolated(spec, place, place.instance.tenants);
}

async function runIsolated(
  spec: CallSpec,
  place: PlacedLocally,
  tenants: TenantInstances,
): Promise<CallResult> {
  const { callId, tool, options } = spec;
  const began = performance.now();
  const run = (instance: Instance): Promise<CallResult> =>
    runHere({ ...spec, place: { ...place, instance } });
  try {
    // A dry run and a recorded call open a guest of their own.
    const isSeparate = options.dryRun === true || isRecorded(spec);
    // guard: calls-of-tenants-separate
    return await (isSeparate
      ? tenants.share(options.tenant, run)
      : tenants.run(options.tenant, run));
  } catch (error) {
    if (!isBulkheadError(error)) throw error;
    return answerOf(callId, began, failureOf(error, tool), { format: place.format, tool });
  }
}

/** Runs a call live, as a dry run, or recorded, in a guest or on a server. */
function runHere(spec: CallSpec): Promise<CallResult> {
  const { place, options, services } = spec;
  if (options.dryRun === true) return dryRunCall(spec);
  if (isRecorded(spec)) {
    return services.record(spec, (instance) =>
      'remote' in place
        ? runRemoteCall({ ...spec, place })
        : runInTurn(spec, { ...place, instance }),
    );
  }
  return 'remote' in place ? runRemoteCall({ ...spec, place }) : runInTurn(spec, place);
}

function isRecorded({ options, services, tool }: CallSpec): boolean {
  return options.record === true || services.isRecorded(tool);
}

/** Runs a call in a separate guest. Its effects are listed in the result, and do not leave the run. */
export async function dryRunCall(call: CallSpec): Promise<CallResult> {
  const { callId, tool, place, services } = call;
  if ('remote' in place || tool.confinement !== 'compartment') {
    const began = performance.now();
    const message = `${tool.id} runs outside of the sandbox. Its changes cannot be prevented, so it has no dry run.`;
    return answerOf(
      callId,
      began,
      { code: 'POLICY_DENIED', message },
      { format: place.format, tool },
    );
  }
  const { mode, stopped } = makeDryRun((host) => services.clearsReads(call, host));
  const instance = await place.instance.openDryRun(mode);
  try {
    const result = await runInTurn(call, { ...place, instance });
    return { ...result, dryRun: stopped };
  } finally {
    await instance.close();
  }
}

/** Runs a call now if the plugin and the engine are below their call limits; otherwise queues it. */
export function runInTurn(spec: CallSpec, place: PlacedLocally): Promise<CallResult> {
  const { callId, tool, options } = spec;
  const began = performance.now();
  if (options.signal?.aborted === true) {
    const detail = { format: place.format, tool };
    return Promise.resolve(answerOf(callId, began, cancelled(tool), detail));
  }
  return place.queue.tryEnter() ? runCall(spec, place, began, 0) : waitAndRun(spec, place, began);
}

/** The deadline includes the wait. If it passes here, the result is `BUSY`: the call has not run. */
async function waitAndRun(
  spec: CallSpec,
  place: PlacedLocally,
  began: number,
): Promise<CallResult> {
  const { callId, tool, options, services } = spec;
  const { queue, revoked } = place;
  const end = new AbortController();
  let over: Failure | undefined;
  const giveUp = (why: Failure): void => {
    over = why;
    end.abort();
  };
  const onAbort = (): void => giveUp(cancelled(tool));
  const onRevoked = (): void => giveUp(permissionRevoked(tool));
  const waiting = { tool, options, stop: giveUp };
  options.signal?.addEventListener('abort', onAbort);
  revoked.on(onRevoked);
  services.openCalls.add(waiting);
  try {
    await queue.enter({
      tenant: options.tenant,
      maxWaitMs: deadlineOf(tool, place.format, options, services.limits),
      signal: end.signal,
    });
    // The call was aborted after the queue had admitted it.
    if (over !== undefined) queue.leave();
  } catch (error) {
    over ??= failureOf(error, tool);
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    revoked.off(onRevoked);
    services.openCalls.remove(waiting);
  }
  return over === undefined
    ? runCall(spec, place, began, performance.now() - began)
    : answerOf(callId, began, over, { format: place.format, tool });
}
