import type { Confinement, ConfinementSpec } from './confinement.js';
import { describeError } from './describe-error.js';
import { dialects } from './dialects/table.js';
import type { Attached } from './dialects/dialect.js';
import { makeDenial } from './endowments/denial.js';
import type { HostPower, WebPowers } from './endowments/endowment.js';
import { makeHostPower } from './host-power.js';
import { formatLine } from './endowments/format-line.js';
import { makeNotifier } from './notices.js';
import { serialize } from './serialize.js';
import { makeValidation, type Validation } from './validation.js';
import { CodedError } from './wire/failure.js';
import { FROM_HOST, MAX_ERROR_STACK } from './wire/limits.js';
import type { Json, WireFailure } from './wire/messages.js';
import {
  type CallParams,
  isCallParams,
  isLoadParams,
  isSchemasParams,
  isValidatorParams,
  type LoadParams,
} from './wire/methods.js';
import { makePeer, type Peer, type PeerSpec } from './wire/peer.js';
import { type IncomingRequest, RawJson } from './wire/service.js';

/** Everything a guest can do to the world outside itself, and all it knows of it. */
export interface GuestPowers
  extends WebPowers, Pick<PeerSpec, 'write' | 'utf8' | 'allocate' | 'soon'> {
  /** The real stack of an error, which the plugin itself cannot read. */
  readonly getStackString: (error: Error) => string;
  readonly confine: (spec: ConfinementSpec) => Confinement;
  /** Evaluates the host's own code (the schema validator), away from the plugin's. */
  readonly evaluateOwn: (code: string) => unknown;
  /** What a bundle is called with: modules that the guest provides, and what stands for others. */
  readonly makeLinkage: (params: LoadParams) => unknown;
  /** Ends the process. The host broke the protocol, which means it is not our host. */
  readonly exit: () => void;
}

export interface Guest {
  receive(bytes: Uint8Array): void;
  /** Says that the guest is ready, and what it found out about itself. */
  announce(report: Json): void;
  /** An error nobody caught: a rejection without a handler, a callback that threw. */
  reportFault(error: unknown): void;
}

/**
 * Answers the host until told to stop: first `load`, once; then `describe`, `call` and `schemas`
 * in any order and number.
 */
export function startGuest(powers: GuestPowers): Guest {
  let loaded: Loaded | undefined;
  const validation = makeValidation(powers.evaluateOwn);
  const describe = (error: unknown): WireFailure => {
    const thrown = describeError(error, powers.getStackString);
    const explained = loaded?.confinement.explain(error);
    // Why is in the explanation, and where in what the plugin's own line threw.
    return explained === undefined ? thrown : describeError(explained, () => thrown.stack ?? '');
  };

  const peer: Peer = makePeer({
    ...powers,
    limits: FROM_HOST,
    now: powers.clock.monotonic,
    onViolation: powers.exit,
    service: {
      describe,
      notice: () => {},
      request: (method, params, request) => {
        if (method === 'call' && isCallParams(params)) {
          return call(afterLoad(loaded), params, request, validation);
        }
        if (method === 'describe') return afterLoad(loaded).attach().then(answerDescription);
        if (method === 'schemas' && isSchemasParams(params)) return validation.add(params);
        if (method === 'validator' && isValidatorParams(params)) {
          if (params.ahead) rehearse(powers, host);
          return validation.accept(params);
        }
        if (method === 'load' && loaded === undefined && isLoadParams(params)) {
          loaded = load(params, powers, host, reportFault);
          return loaded.attach().then(() => null);
        }
        throw new CodedError('LOAD_FAILED', `a guest does not answer ${method} now`);
      },
    },
  });
  const notify = makeNotifier(peer, powers.clock.monotonic);
  const host = makeHostPower(peer, notify);
  const reportFault = (error: unknown): void => notify('fault', { failure: describe(error) });

  return {
    receive: peer.receive,
    announce: (report) => peer.notify('ready', report),
    reportFault,
  };
}

interface Loaded {
  readonly params: LoadParams;
  readonly confinement: Confinement;
  /** The plugin's modules, evaluated once; where that failed, every call fails the same way. */
  readonly attach: () => Promise<Attached>;
}

function afterLoad(loaded: Loaded | undefined): Loaded {
  if (loaded === undefined) throw new CodedError('LOAD_FAILED', 'nothing has been loaded yet');
  return loaded;
}

function load(
  params: LoadParams,
  powers: GuestPowers,
  host: HostPower,
  reportFault: (error: unknown) => void,
): Loaded {
  const { plugin, grant, limits, assignedGlobals } = params;
  const makeError = makeDenial(plugin);
  const confinement = powers.confine({
    assignedGlobals,
    powers: {
      ...powers,
      plugin,
      grant,
      limits,
      host,
      reportFault,
      denial: (permission, wanted) => {
        const error = makeError(permission, wanted);
        const stack = powers.getStackString(error).slice(0, MAX_ERROR_STACK);
        host.notify('denied', { permission, wanted, stack });
        return error;
      },
    },
  });

  let attached: Promise<Attached> | undefined;
  const evaluate = async (): Promise<Attached> => {
    const run = confinement.evaluate(`${params.code}\n//# sourceURL=${params.sourceUrl}`);
    if (typeof run !== 'function') throw new CodedError('LOAD_FAILED', 'the bundle is no function');
    const exports: unknown = await Reflect.apply(run, undefined, [powers.makeLinkage(params)]);
    return dialects[params.dialect].attach(recordOf(exports), {
      config: params.config,
      environment: grant.environment ?? {},
      log: (level, parts) =>
        host.notify('log', { level, text: formatLine(parts, limits.maxLogText) }),
      serialize: (value) => serialize(value, limits),
    });
  };
  return { params, confinement, attach: () => (attached ??= evaluate()) };
}

/**
 * Loads a plugin that is nobody's and does nothing, while the guest is blank: what the first load
 * would have to compile and to make is then there.
 */
function rehearse(powers: GuestPowers, host: HostPower): void {
  const limits = {
    maxTimers: 0,
    maxResultBytes: 1_000,
    maxResultDepth: 10,
    maxResultNodes: 100,
    maxLogText: 100,
    maxFetches: 0,
    maxBodyBytes: 0,
  };
  const { confinement } = load(
    {
      plugin: { id: 'nobody', manifest: '' },
      grant: { time: true, random: true, network: true, filesystem: true, environment: {} },
      limits,
      dialect: 'pandora',
      code: '',
      sourceUrl: 'nobody.js',
      assignedGlobals: [],
      config: null,
    },
    powers,
    host,
    () => {},
  );
  confinement.evaluate('(function () {})');
  serialize({ text: '', list: [1, true, null] }, limits);
}

function recordOf(exports: unknown): Readonly<Record<string, unknown>> {
  return typeof exports === 'object' && exports !== null ? { ...exports } : {};
}

function answerDescription(attached: Attached): Promise<RawJson> {
  return attached.describe().then((text) => new RawJson(text));
}

async function call(
  { params, confinement, attach }: Loaded,
  { tool, input, context }: CallParams,
  request: IncomingRequest,
  validation: Validation,
): Promise<RawJson> {
  const attached = await attach();
  let signal: unknown;
  const value = await attached.call(tool, validation.check(tool, input), {
    context,
    get signal() {
      if (signal === undefined) {
        const pair = confinement.makeSignal();
        signal = pair.signal;
        request.onCancel(pair.abort);
      }
      return signal;
    },
  });
  return new RawJson(serialize(value, params.limits));
}
