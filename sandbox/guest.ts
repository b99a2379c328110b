import { describeError } from './describe-error.js';
import { type Endower, prepareEndower } from './endower.js';
import { clockFrom } from './endowments/clock-from.js';
import { makeTape, type Tape } from './endowments/tape.js';
import { frameOf, makeFrameCutter } from './wire/framing.js';
import { makeHookRuns } from './hook-runs.js';
import { makeHostPower, makeNotifier } from './host-power.js';
import { makeSyncRequests, readSyncAnswer } from './sync-requests.js';
import {
  afterSettling,
  callLoaded,
  describeLoaded,
  load,
  type Loaded,
  type LoadCapabilities,
  sendEventToLoaded,
} from './loaded.js';
import { warmUp, type WarmUpOptions } from './warm-up.js';
import { makeValidation, type ValidatorSource } from './validation.js';
import { CodedError } from './wire/failure.js';
import { isHookParams } from './wire/hooks.js';
import {
  isCallParams,
  isConfigParams,
  isEventParams,
  isLoadParams,
  isPermissionsParams,
  isSchemasParams,
  isValidatorParams,
} from './wire/methods.js';
import { FROM_HOST } from './wire/limits.js';
import type { Json, WireFailure } from './wire/messages.js';
import { makePeer, type Peer, type PeerSpec } from './wire/peer.js';
import { type Parcel, SQLITE_CODE } from './wire/sync.js';

/** All effects that a guest can have outside. */
export interface GuestCapabilities
  extends LoadCapabilities, Pick<PeerSpec, 'write' | 'utf8' | 'allocate' | 'soon'> {
  /** Collects all garbage of the process. Default: V8 decides alone. */
  readonly collectGarbage?: () => void;
  /** Evaluates the host's own code (the schema validator), separately from the plugin's. */
  readonly evaluateOwn: (code: string) => unknown;
  /** The validator's source, if several plugins share it. */
  readonly validator?: ValidatorSource;
  /** Sends a parcel to the host and blocks until its answer is there. Default: no synchronous requests. */
  readonly exchange?: (parcel: Uint8Array) => Parcel;
  /** The number of the co-resident, if the realm is shared. */
  readonly number?: number;
}

export interface Guest {
  receive(bytes: Uint8Array): void;
  /** Tells the host that the guest is ready, with a report about its walls. */
  announce(report: Json): void;
  /** Reports an uncaught error: an unhandled rejection, or an exception in a callback. */
  reportFault(error: unknown): void;
  /** Runs the code of a first load with dummy plugins, for the code cache. */
  warmUp(): void;
  /** Revokes the plugin's endowments. The guest then answers no requests. */
  close(): void;
}

/** Answers the host: first `load`, once, then other requests in any order. */
export function startGuest(capabilities: GuestCapabilities): Guest {
  let loaded: Loaded | undefined;
  let tape: Tape | undefined;
  let prepared: Endower | undefined;
  /** Writes the recorded tape entries before the next message. */
  const write = (bytes: Uint8Array): void => {
    const content = tape?.drain();
    if (content !== undefined) {
      capabilities.write(
        frameOf(JSON.stringify({ t: 'notice', m: 'tape', p: content }), capabilities),
      );
    }
    capabilities.write(bytes);
  };
  const validation = makeValidation(capabilities.evaluateOwn, capabilities.validator);
  const hookRuns = makeHookRuns(() => host);
  const describe = (error: unknown): WireFailure => {
    const thrown = describeError(error, capabilities.getStackString);
    const explained = loaded?.confinement.explain(error);
    // The explanation has the reason. The stack of the thrown error has the location.
    return explained === undefined ? thrown : describeError(explained, () => thrown.stack ?? '');
  };

  const peer: Peer = makePeer({
    ...capabilities,
    write,
    limits: FROM_HOST,
    now: capabilities.clock.monotonic,
    onViolation: capabilities.exit,
    service: {
      describe,
      notice: (name) => {
        if (name === 'collect') capabilities.collectGarbage?.();
      },
      request: (method, params, request) => {
        if (method === 'call' && isCallParams(params)) {
          const plugin = afterLoad(loaded);
          return afterSettling(plugin, callLoaded(plugin, params, request, validation));
        }
        if (method === 'hook' && isHookParams(params)) {
          const plugin = afterLoad(loaded);
          return afterSettling(plugin, hookRuns.run(plugin, params));
        }
        // Answered by this code alone, so that a guest answers unless its code is in a loop.
        if (method === 'ping') return null;
        if (method === 'describe') return describeLoaded(afterLoad(loaded));
        if (method === 'event' && isEventParams(params)) {
          const plugin = afterLoad(loaded);
          return afterSettling(plugin, sendEventToLoaded(plugin, params, request));
        }
        if (method === 'permissions' && isPermissionsParams(params)) {
          afterLoad(loaded).regrant(params.grant);
          return null;
        }
        if (method === 'config' && isConfigParams(params)) return validation.fit(params);
        if (method === 'schemas' && isSchemasParams(params)) return validation.add(params);
        if (method === 'validator' && isValidatorParams(params)) {
          if (params.warmUp && loaded === undefined) {
            warmUpQuietly();
            prepared = prepareEndower(capabilities, host, reportFault);
          }
          return validation.accept(params);
        }
        if (method === 'load' && loaded === undefined && isLoadParams(params)) {
          const clock = clockFrom(params.startTime, capabilities.clock);
          tape = params.tape && makeTape(params.tape, clock, capabilities.crypto);
          // What was prepared reads the process's clock. A recorded plugin gets the tape's clock.
          loaded =
            tape === undefined && clock === capabilities.clock
              ? load(params, capabilities, host, reportFault, prepared)
              : load(params, { ...capabilities, clock, ...tape }, host, reportFault);
          return loaded.attach().then(() => null);
        }
        throw new CodedError('LOAD_FAILED', `a guest does not answer ${method} now`);
      },
    },
  });
  const notify = makeNotifier(peer, () => (tape?.clock ?? capabilities.clock).monotonic());
  const askNow = makeSyncRequests(capabilities);
  const host = makeHostPower(peer, notify, (...request) =>
    readSyncAnswer(
      // The code of SQLite is the same in each run.
      tape === undefined || request[0] === SQLITE_CODE
        ? askNow(...request)
        : tape.answer(() => askNow(...request)),
    ),
  );
  const reportFault = (error: unknown): void => notify('fault', { failure: describe(error) });
  // Only for speed: nothing depends on its result.
  const warmUpQuietly = (options?: WarmUpOptions): void =>
    void warmUp(capabilities, host, options).catch(() => {});

  const receiveInTurn = makeFrameCutter((frame) => tape?.message(() => peer.receive(frame)));

  return {
    receive: (bytes) => {
      // guard: contexts-left-between-turns
      capabilities.contexts.leave();
      if (tape === undefined) peer.receive(bytes);
      else receiveInTurn(bytes);
    },
    announce: (report) => peer.notify('ready', report),
    // In a shared realm the guest cannot determine which plugin caused a fault. The plugin may have
    // thrown an error that reads like a denial, so none is reported as a denial.
    reportFault:
      // guard: shared-fault-not-denial
      capabilities.shared === true
        ? (error) => notify('fault', { failure: describeError(error, capabilities.getStackString) })
        : reportFault,
    warmUp: () => warmUpQuietly({ packages: true }),
    close: () => {
      loaded?.confinement.revoke();
      peer.close(new CodedError('LOAD_FAILED', 'the plugin was unloaded'));
    },
  };
}

function afterLoad(loaded: Loaded | undefined): Loaded {
  if (loaded === undefined) throw new CodedError('LOAD_FAILED', 'nothing has been loaded yet');
  return loaded;
}
