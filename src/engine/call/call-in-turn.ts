import { type CallSpec, cancelled, deadlineOf, takenAway } from './call.js';
import type { PlacedHere } from './placement.js';
import { answerOf, type CallResult, type Failure, failureOf } from './result.js';
import { runCall } from './running-call.js';

/**
 * Runs a call as soon as it may begin: at once, where neither its plugin nor the engine has as many
 * under way as they may.
 */
export function runInTurn(spec: CallSpec, place: PlacedHere): Promise<CallResult> {
  const { callId, tool, options } = spec;
  const began = performance.now();
  if (options.signal?.aborted === true) {
    const told = { format: place.format, tool };
    return Promise.resolve(answerOf(callId, began, cancelled(tool), told));
  }
  return place.lane.tryEnter() ? runCall(spec, place, began, 0) : waitAndRun(spec, place, began);
}

/**
 * The deadline runs while the call waits. One that passes here is told as `BUSY`: nothing of the call
 * has run.
 */
async function waitAndRun(spec: CallSpec, place: PlacedHere, began: number): Promise<CallResult> {
  const { callId, tool, options, limits } = spec;
  const { lane, revoked } = place;
  const end = new AbortController();
  let over: Failure | undefined;
  const giveUp = (why: Failure): void => {
    over = why;
    end.abort();
  };
  const onAbort = (): void => giveUp(cancelled(tool));
  const onRevoked = (): void => giveUp(takenAway(tool));
  options.signal?.addEventListener('abort', onAbort);
  revoked.on(onRevoked);
  try {
    await lane.enter({
      tenant: options.tenant,
      patienceMs: deadlineOf(tool, place.format, options, limits),
      signal: end.signal,
    });
    // It was given up in the moment in which its turn came.
    if (over !== undefined) lane.leave();
  } catch (error) {
    over ??= failureOf(error, tool);
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    revoked.off(onRevoked);
  }
  return over === undefined
    ? runCall(spec, place, began, performance.now() - began)
    : answerOf(callId, began, over, { format: place.format, tool });
}
