import type { Confinement, ConfinementSpec } from './confinement.js';
import { dialects } from './dialects/table.js';
import type { Attached, DialectWorld } from './dialects/dialect.js';
import type { ClockPower, HostPower } from './endowments/endowment.js';
import { type Endowing, type EndowingPowers, makeEndowing } from './endowing.js';
import { FILES_AT_ONCE, FILES_MODULE, makeFiles } from './endowments/files/files.js';
import { formatLine } from './endowments/format-line.js';
import { makePowerClient } from './endowments/powers.js';
import { makeStorageClient } from './endowments/storage/client.js';
import { makeOutput } from './output.js';
import { CallRequest, EventRequest } from './request-world.js';
import { serialize } from './serialize.js';
import type { Validation } from './validation.js';
import { CodedError } from './wire/failure.js';
import type { CallParams, EventParams, GuestGrant, LoadParams } from './wire/methods.js';
import { type IncomingRequest, RawJson } from './wire/service.js';

/** What it takes to hold a plugin. */
export interface LoadPowers extends EndowingPowers {
  readonly confine: (spec: ConfinementSpec) => Confinement;
  /** What a bundle is called with: modules that the guest provides, and what stands for others. */
  readonly makeLinkage: (params: LoadParams, modules: Readonly<Record<string, unknown>>) => unknown;
}

/** A plugin in its compartment. */
export interface Loaded {
  readonly params: LoadParams;
  readonly confinement: Confinement;
  /** The plugin's modules, evaluated once; where that failed, every call fails the same way. */
  readonly attach: () => Promise<Attached>;
  /** Tells the host something that calls say of themselves, and that they keep within bounds. */
  readonly say: HostPower['notify'];
  readonly clock: ClockPower;
  /**
   * Resolves when what its code wrote without waiting is with the host; rejects where it was refused.
   * Absent where its code does no such thing.
   */
  readonly settle: (() => Promise<void>) | undefined;
  /** Changes what the plugin holds. When this returns, its endowments have followed. */
  readonly regrant: (grant: GuestGrant) => void;
}

/** Makes the compartment. Nothing of the plugin is evaluated before `attach`. */
export function load(
  params: LoadParams,
  powers: LoadPowers,
  host: HostPower,
  reportFault: (error: unknown) => void,
  prepared: Endowing = makeEndowing(powers, host, reportFault),
): Loaded {
  const { limits, assignedGlobals } = params;
  const { powers: endowing } = prepared;
  prepared.begin(params);
  const world: DialectWorld = {
    config: params.config,
    introduction: params.introduction,
    lent: params.lent,
    powers: endowing,
    get environment() {
      return endowing.grant.environment ?? {};
    },
    get grant() {
      return endowing.grant;
    },
    log: (level, parts) =>
      host.notify('log', { level, text: formatLine(parts, limits.maxLogText) }),
    serialize: endowing.serialize,
    storage: (place) => makeStorageClient(endowing, place),
    usePower: makePowerClient(endowing).use,
  };
  const dialect = dialects[params.dialect];
  const confinement = powers.confine({
    assignedGlobals,
    powers: endowing,
    ahead: prepared.ahead,
    globals: dialect.globals?.(world) ?? {},
  });

  const copiesFiles = params.code.includes(FILES_AT_ONCE);
  const files = makeFiles(endowing, copiesFiles);
  let attached: Promise<Attached> | undefined;
  let attachment: Attached | undefined;
  const evaluate = async (): Promise<Attached> => {
    await dialect.prepare?.(world);
    const run = confinement.evaluate(`${params.code}\n//# sourceURL=${params.sourceUrl}`);
    if (typeof run !== 'function') throw new CodedError('LOAD_FAILED', 'the bundle is no function');
    const linkage = powers.makeLinkage(params, {
      ...dialect.modules?.(world),
      [FILES_MODULE]: files.face,
    });
    const exports: unknown = await Reflect.apply(run, undefined, [linkage]);
    attachment = dialect.attach(recordOf(exports), world);
    return attachment;
  };
  return {
    params,
    confinement,
    attach: copiesFiles
      ? () => files.refresh().then(() => (attached ??= evaluate()))
      : () => (attached ??= evaluate()),
    settle: copiesFiles ? files.settle : undefined,
    regrant: (next) => {
      prepared.regrant(next);
      confinement.follow();
      attachment?.regrant?.(next);
    },
    say: host.notifyAlways,
    clock: powers.clock,
  };
}

function recordOf(exports: unknown): Readonly<Record<string, unknown>> {
  return typeof exports === 'object' && exports !== null ? { ...exports } : {};
}

/** What came of a request, once what the plugin's code wrote without waiting is with the host. */
export async function afterSettling<Answer>(
  { settle }: Loaded,
  answer: Promise<Answer>,
): Promise<Answer> {
  if (settle === undefined) return answer;
  const [outcome] = await Promise.allSettled([answer]);
  const settled = settle();
  // What it threw counts for more than what became of its files.
  if (outcome.status === 'rejected') await settled.catch(() => {});
  else await settled;
  return answer;
}

/** What the entry offers. */
export async function describeLoaded({ attach }: Loaded): Promise<RawJson> {
  const attached = await attach();
  return new RawJson(await attached.describe());
}

/** Tells the plugin of an event, and answers what came of it. */
export async function tellLoaded(
  { params, confinement, attach }: Loaded,
  event: EventParams,
  request: IncomingRequest,
): Promise<RawJson> {
  const attached = await attach();
  const world = new EventRequest(confinement, request, event.userId);
  const answer: unknown = await attached.event?.(event.name, event.payload, world);
  return new RawJson(serialize(answer, params.limits));
}

/** Runs one tool on an input that fits its schema. */
export async function callLoaded(
  { params, confinement, attach, say, clock }: Loaded,
  { tool, surface, output: listened, incomplete, input, context }: CallParams,
  request: IncomingRequest,
  validation: Validation,
): Promise<RawJson> {
  const attached = await attach();
  const output =
    listened === undefined
      ? undefined
      : makeOutput(
          (text) => say('output', { call: listened, text }),
          clock,
          params.limits.maxOutputText,
        );
  try {
    const value = await attached.call(
      tool,
      incomplete === true ? input : validation.check(tool, input),
      new CallRequest(confinement, request, { context, surface, output: output?.write }),
    );
    return new RawJson(serialize(value, params.limits));
  } finally {
    output?.end();
  }
}
