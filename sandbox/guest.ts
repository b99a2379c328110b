import { describeError } from './describe-error.js';
import { type Endowing, prepareEndowing } from './endowing.js';
import { makeTape, type Tape } from './endowments/tape.js';
import { frameOf, makeFrameCutter } from './frames.js';
import { makeHookRuns } from './hook-runs.js';
import { makeHostPower } from './host-power.js';
import {
  afterSettling,
  callLoaded,
  describeLoaded,
  load,
  type Loaded,
  type LoadPowers,
  tellLoaded,
} from './loaded.js';
import { makeNotifier } from './notices.js';
import { rehearse } from './rehearsal.js';
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
} from './wire/guards.js';
import { FROM_HOST } from './wire/limits.js';
import type { Json, WireFailure } from './wire/messages.js';
import { makePeer, type Peer, type PeerSpec } from './wire/peer.js';

/** Everything a guest can do to the world outside itself, and all it knows of it. */
export interface GuestPowers
  extends LoadPowers, Pick<PeerSpec, 'write' | 'utf8' | 'allocate' | 'soon'> {
  /** Evaluates the host's own code (the schema validator), away from the plugin's. */
  readonly evaluateOwn: (code: string) => unknown;
  /** Where the validator's source is kept that several plugins share. */
  readonly validator?: ValidatorSource;
  /** Ends the process. The host broke the protocol, which means it is not our host. */
  readonly exit: () => void;
}

export interface Guest {
  receive(bytes: Uint8Array): void;
  /** Says that the guest is ready, and what it found out about itself. */
  announce(report: Json): void;
  /** An error nobody caught: a rejection without a handler, a callback that threw. */
  reportFault(error: unknown): void;
  /** Does once what the first load does, for nobody. */
  rehearse(): void;
  /** Takes back all that its plugin was endowed with, and answers nobody any more. */
  close(): void;
}

/**
 * Answers the host until told to stop: first `load`, once; then everything else in any order
 * and number.
 */
export function startGuest(powers: GuestPowers): Guest {
  let loaded: Loaded | undefined;
  let tape: Tape | undefined;
  let prepared: Endowing | undefined;
  /** Before whatever it says next, what it was said by is on its way. */
  const write = (bytes: Uint8Array): void => {
    const content = tape?.drain();
    if (content !== undefined) {
      powers.write(frameOf(JSON.stringify({ t: 'notice', m: 'tape', p: content }), powers));
    }
    powers.write(bytes);
  };
  const validation = makeValidation(powers.evaluateOwn, powers.validator);
  const hookRuns = makeHookRuns(() => host);
  const describe = (error: unknown): WireFailure => {
    const thrown = describeError(error, powers.getStackString);
    const explained = loaded?.confinement.explain(error);
    // Why is in the explanation, and where in what the plugin's own line threw.
    return explained === undefined ? thrown : describeError(explained, () => thrown.stack ?? '');
  };

  const peer: Peer = makePeer({
    ...powers,
    write,
    limits: FROM_HOST,
    now: powers.clock.monotonic,
    onViolation: powers.exit,
    service: {
      describe,
      notice: () => {},
      request: (method, params, request) => {
        if (method === 'call' && isCallParams(params)) {
          const plugin = afterLoad(loaded);
          return afterSettling(plugin, callLoaded(plugin, params, request, validation));
        }
        if (method === 'hook' && isHookParams(params)) {
          const plugin = afterLoad(loaded);
          return afterSettling(plugin, hookRuns.run(plugin, params));
        }
        if (method === 'describe') return describeLoaded(afterLoad(loaded));
        if (method === 'event' && isEventParams(params)) {
          const plugin = afterLoad(loaded);
          return afterSettling(plugin, tellLoaded(plugin, params, request));
        }
        if (method === 'permissions' && isPermissionsParams(params)) {
          afterLoad(loaded).regrant(params.grant);
          return null;
        }
        if (method === 'config' && isConfigParams(params)) return validation.fit(params);
        if (method === 'schemas' && isSchemasParams(params)) return validation.add(params);
        if (method === 'validator' && isValidatorParams(params)) {
          if (params.ahead && loaded === undefined) {
            rehearseQuietly();
            prepared = prepareEndowing(powers, host, reportFault);
          }
          return validation.accept(params);
        }
        if (method === 'load' && loaded === undefined && isLoadParams(params)) {
          tape = params.tape && makeTape(params.tape, powers.clock);
          // Where it is recorded its clock is another.
          loaded =
            tape === undefined
              ? load(params, powers, host, reportFault, prepared)
              : load(params, { ...powers, ...tape }, host, reportFault);
          return loaded.attach().then(() => null);
        }
        throw new CodedError('LOAD_FAILED', `a guest does not answer ${method} now`);
      },
    },
  });
  const notify = makeNotifier(peer, () => (tape?.clock ?? powers.clock).monotonic());
  const host = makeHostPower(peer, notify);
  const reportFault = (error: unknown): void => notify('fault', { failure: describe(error) });
  // It is for speed alone: what a plugin does is not to depend on it.
  const rehearseQuietly = (): void => void rehearse(powers, host).catch(() => {});

  const receiveInTurn = makeFrameCutter((frame) => tape?.message(() => peer.receive(frame)));

  return {
    receive: (bytes) => (tape === undefined ? peer.receive(bytes) : receiveInTurn(bytes)),
    announce: (report) => peer.notify('ready', report),
    // In a realm that plugins share, nobody can say whose it was: what reads like a denial goes on
    // nobody's record.
    reportFault:
      powers.shared === true
        ? (error) => notify('fault', { failure: describeError(error, powers.getStackString) })
        : reportFault,
    rehearse: rehearseQuietly,
    close: () => {
      loaded?.confinement.revoke();
      peer.close(new CodedError('LOAD_FAILED', 'the plugin was let go'));
    },
  };
}

function afterLoad(loaded: Loaded | undefined): Loaded {
  if (loaded === undefined) throw new CodedError('LOAD_FAILED', 'nothing has been loaded yet');
  return loaded;
}
