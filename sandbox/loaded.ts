import type { Confinement, ConfinementSpec, UnitLinks } from './compartment.js';
import { dialects } from './dialects/table.js';
import type { Attached, DialectWorld, CallWorld, EventWorld } from './dialects/dialect.js';
import type {
  ClockCapability,
  EndowmentCapabilities,
  HostCapability,
} from './endowments/endowment.js';
import { type Endower, type EndowerCapabilities, makeEndower } from './endower.js';
import { FILES_AT_ONCE, FILES_MODULE, makeFiles } from './endowments/files/files.js';
import { formatLine } from './endowments/console.js';
import { makeSqlite, SQLITE_MODULE } from './endowments/sqlite/sqlite.js';
import { makePowerClient } from './endowments/powers.js';
import { makeStorageClient } from './endowments/storage/client.js';
import { makeLosses } from './losses.js';
import { CONTEXTS_MODULE } from './endowments/async-contexts.js';
import { makeOutput } from './output.js';
import { serialize } from './serialize.js';
import { evaluateUnits } from './unit-linker.js';
import { makeVariableNames, VARIABLES_MODULE } from './variable-names.js';
import { makeDenialReport, REPORT_MODULE } from './denial-report.js';
import type { Validation } from './validation.js';
import { CodedError } from './wire/failure.js';
import type {
  CallParams,
  CallReport,
  EventParams,
  GuestGrant,
  KeptParams,
  LoadParams,
} from './wire/methods.js';
import { type IncomingRequest, RawJson } from './wire/service.js';
import type { Json } from './wire/messages.js';

/** The requirements for loading a plugin. */
export interface LoadCapabilities extends EndowerCapabilities {
  readonly confine: (spec: ConfinementSpec) => Confinement;
  /** Ends the process. */
  readonly exit: () => void;
  /** Sets the local time zone of the process. */
  readonly setTimeZone: (zone: string) => void;
  /** Creates the argument of a bundle: the guest's modules, and replacements for other imports. */
  readonly makeLinkage: (
    params: KeptParams,
    modules: Readonly<Record<string, unknown>>,
    confinement: Pick<Confinement, 'dependencies' | 'missing'>,
    links?: UnitLinks,
  ) => unknown;
}

/** A plugin in its compartment. */
export interface Loaded {
  readonly params: KeptParams;
  readonly confinement: Confinement;
  /** Evaluates the plugin's modules once. If that fails, every call fails with the same error. */
  readonly attach: () => Promise<Attached>;
  /** Sends a notice without the rate limit: the caller limits its size. */
  readonly say: HostCapability['notify'];
  /** Writes a warning for the author into the host's log, once for each text. */
  readonly warn: (text: string) => void;
  readonly clock: ClockCapability;
  /**
   * Resolves when the host has stored the synchronous writes of the code. Rejects if the host
   * refused one. Absent if the code does not write synchronously.
   */
  readonly settle: (() => Promise<void>) | undefined;
  /** Replaces the grant. The endowments are updated when this returns. */
  readonly regrant: (grant: GuestGrant) => void;
}

/** The capabilities of a plugin as they are without its storage, whatever it is granted later. */
function withoutStorage(capabilities: EndowmentCapabilities): EndowmentCapabilities {
  // Inherits the other getters, whose values may change.
  const narrow: EndowmentCapabilities = Object.create(capabilities, {
    grant: { get: () => ({ ...capabilities.grant, storage: false }) },
  });
  return narrow;
}

/** Creates the compartment. Does not run plugin code before `attach`. */
export function load(
  { code, ...params }: LoadParams,
  capabilities: LoadCapabilities,
  host: HostCapability,
  reportFault: (error: unknown) => void,
  prepared: Endower = makeEndower(capabilities, host, reportFault),
): Loaded {
  const { limits, assignedGlobals, plugin, grant } = params;
  const { capabilities: endowing } = prepared;
  const applyTimeZone = ({ time }: GuestGrant): void => {
    // One process has one zone, and co-residents may not have `time`.
    // guard: shared-guest-in-utc
    if (capabilities.shared === true) return;
    capabilities.setTimeZone(time ? params.timeZone : 'UTC');
  };
  applyTimeZone(grant);
  const dialect = dialects.get(params.dialect);
  if (dialect === undefined) throw new Error(`There is no dialect ${params.dialect}.`);
  prepared.begin({ plugin, limits, grant, hasCryptoRandom: dialect.hasCryptoRandom });
  const world: DialectWorld = {
    config: params.config,
    pluginInfo: params.pluginInfo,
    hostPowers: params.hostPowers,
    powers: endowing,
    get environment() {
      return endowing.grant.env ?? {};
    },
    get grant() {
      return endowing.grant;
    },
    log: (level, parts) =>
      host.notify('log', { level, text: formatLine(parts, limits.maxLogText) }),
    listen: prepared.listen,
    serialize: endowing.serialize,
    storage: (place) => makeStorageClient(endowing, place),
    usePower: makePowerClient(endowing).use,
    end: () => {
      // guard: co-residents-not-ended
      if (capabilities.shared !== true) {
        // The host does not suspend it meanwhile.
        host.notifyAlways('ending', {});
        capabilities.clock.setTimeout(capabilities.exit, SEND_MS);
      }
    },
  };
  const confinement = capabilities.confine({
    assignedGlobals,
    capabilities: endowing,
    ahead: prepared.ahead,
    globals: dialect.globals?.(world) ?? {},
  });

  // The plugin's own code can call it too. It then reports denials of its own plugin that did not happen.
  const reportDenial = makeDenialReport(endowing);
  const copiesFiles = code.includes(FILES_AT_ONCE);
  let bundle = code;
  const files = makeFiles(endowing, copiesFiles);
  let narrowFiles: object | undefined;
  const warned = new Set<string>();
  let attached: Promise<Attached> | undefined;
  let attachment: Attached | undefined;
  /** Its second call would find no code. */
  const evaluated = (modules: Readonly<Record<string, unknown>>): unknown => {
    const text = bundle;
    bundle = '';
    if (params.packages === undefined) {
      const linkage = capabilities.makeLinkage(params, modules, confinement);
      return evaluateBundle(text, params.sourceUrl, confinement, linkage);
    }
    const spec = {
      params,
      packages: params.packages,
      confinement,
      capabilities,
      endowing,
      modules,
      program: dialect.program?.(world),
      filesWithoutStorage: () => (narrowFiles ??= makeFiles(withoutStorage(endowing), false).face),
    };
    return evaluateUnits(spec, text);
  };
  const evaluate = async (): Promise<Attached> => {
    await dialect.prepare?.(world);
    const modules = {
      ...dialect.modules?.(world),
      [FILES_MODULE]: files.face,
      [REPORT_MODULE]: reportDenial,
      [VARIABLES_MODULE]: makeVariableNames(endowing),
      [CONTEXTS_MODULE]: endowing.contexts.face,
      [SQLITE_MODULE]: makeSqlite(endowing),
    };
    let exports: unknown;
    try {
      exports = await evaluated(modules);
    } catch (error) {
      throw (await dialect.whyNotLoaded?.(error, world)) ?? error;
    }
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
      applyTimeZone(next);
      confinement.updateGrant();
      attachment?.regrant?.(next);
    },
    say: host.notifyAlways,
    warn: (text) => {
      if (warned.has(text) || warned.size >= MAX_WARNINGS) return;
      warned.add(text);
      world.log('warn', [text]);
    },
    clock: capabilities.clock,
  };
}

function evaluateBundle(
  code: string,
  sourceUrl: string,
  confinement: Confinement,
  linkage: unknown,
): unknown {
  const run = confinement.evaluate(`${code}\n//# sourceURL=${sourceUrl}`);
  if (typeof run !== 'function') {
    throw new CodedError('LOAD_FAILED', 'the bundle is not a function');
  }
  return Reflect.apply(run, undefined, [linkage]);
}

/** Warnings of one guest. */
const MAX_WARNINGS = 20;

/** Milliseconds in which the last answers are sent. If they are not, the caller gets the end instead. */
const SEND_MS = 100;

function recordOf(exports: unknown): Readonly<Record<string, unknown>> {
  return typeof exports === 'object' && exports !== null ? { ...exports } : {};
}

/** The answer to a request, sent after the host has stored the synchronous writes of the code. */
export async function afterSettling<Answer>(
  { settle }: Loaded,
  answer: Promise<Answer>,
): Promise<Answer> {
  if (settle === undefined) return answer;
  const [outcome] = await Promise.allSettled([answer]);
  const settled = settle();
  // The error of the code is more important than the error of a write.
  if (outcome.status === 'rejected') await settled.catch(() => {});
  else await settled;
  return answer;
}

/** The contributions of the entry. */
export async function describeLoaded({ attach }: Loaded): Promise<RawJson> {
  const attached = await attach();
  return new RawJson(await attached.describe());
}

/** Sends an event to the plugin. Returns its answer. */
export async function sendEventToLoaded(
  { params, confinement, attach, warn }: Loaded,
  event: EventParams,
  request: IncomingRequest,
): Promise<RawJson> {
  const attached = await attach();
  const world = new EventRequest(confinement, request, event.userId);
  const answer: unknown = await attached.event?.(event.name, event.payload, world);
  const losses = makeLosses();
  const text = serialize(answer, params.limits, { losses });
  const lost = losses.describe(`The answer to ${event.name}`);
  if (lost !== undefined) warn(lost);
  return new RawJson(text);
}

/** Runs one tool on an input that fits its schema. */
export async function callLoaded(
  { params, confinement, attach, say, warn, clock }: Loaded,
  { tool, surface, output: listened, incomplete, input, context }: CallParams,
  request: IncomingRequest,
  validation: Validation,
): Promise<RawJson> {
  const attached = await attach();
  const write = (text: string, progress?: CallReport): void =>
    say('output', { call: listened, text, ...(progress === undefined ? {} : { progress }) });
  const output =
    listened === undefined
      ? undefined
      : makeOutput((text) => write(text), clock, params.limits.maxOutputText);
  try {
    const value = await attached.call(
      tool,
      incomplete === true ? input : validation.check(tool, input),
      new CallRequest(confinement, request, {
        context,
        surface,
        output: output?.write,
        progress: output && ((report, text) => write(text, report)),
      }),
    );
    const losses = makeLosses();
    const text = serialize(value, params.limits, { losses });
    const lost =
      value === undefined
        ? `The tool ${tool} returned nothing, so its result is null. Return a value, so that a model knows what happened.`
        : losses.describe(`The result of the tool ${tool}`);
    if (lost !== undefined) warn(lost);
    return new RawJson(text);
  } finally {
    output?.end();
  }
}

/** Creates the signal of a request on first use, because most requests never use it. */
class RequestWorld {
  readonly #confinement: Confinement;
  readonly #request: IncomingRequest;
  #signal: unknown;

  constructor(confinement: Confinement, request: IncomingRequest) {
    this.#confinement = confinement;
    this.#request = request;
  }

  get signal(): unknown {
    if (this.#signal === undefined) {
      const { signal, abort } = this.#confinement.makeSignal(this.#request.id);
      this.#signal = signal;
      this.#request.onCancel(abort);
    }
    return this.#signal;
  }
}

export class EventRequest extends RequestWorld implements EventWorld {
  readonly userId: string | undefined;

  constructor(confinement: Confinement, request: IncomingRequest, userId: string | undefined) {
    super(confinement, request);
    this.userId = userId;
  }
}

export class CallRequest extends RequestWorld implements CallWorld {
  readonly context: Json;
  readonly surface: string | undefined;
  readonly output: CallWorld['output'];
  readonly progress: CallWorld['progress'];

  constructor(
    confinement: Confinement,
    request: IncomingRequest,
    { context, surface, output, progress }: Omit<CallWorld, 'signal'>,
  ) {
    super(confinement, request);
    this.context = context;
    this.surface = surface;
    this.output = output;
    this.progress = progress;
  }
}
