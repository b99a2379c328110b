import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isBulkheadError } from '../../errors.js';
import type { GuestEndCause } from '../../events.js';
import type { Format } from '../../formats/format.js';
import { formatNamed } from '../../formats/table.js';
import type { Grant } from '../../permissions/grant.js';
import type { Permissions } from '../../permissions/kind.js';
import type { Bundle, PluginEntry } from '../../plugin/plugin.js';
import type { Contributions } from '../../plugin/tool.js';
import type { Schemas } from '../instance/guest-supervisor.js';
import type { Instance, InstanceListener, InstanceSpec } from '../instance/instance.js';
import type { PluginProblem } from '../types/status.js';
import type { ContributionCache } from './contribution-cache.js';
import {
  type InstalledEntry,
  type LiveEntry,
  makeRevocation,
  type Revocation,
  type RunnableTool,
} from './installed.js';
import { type InstancesByGrant, makeInstancesByGrant } from './instances-by-grant.js';
import { listTool } from './list-tool.js';
import { makeRefreshDebouncer, type RefreshDebouncer } from './refresh-debouncer.js';

export interface LiveEntrySpec {
  readonly spec: InstanceSpec & { readonly config: JsonObject };
  /** The instance that described the contributions. */
  readonly instance: Instance;
  /** The unconfined instance for tools that request it, if the operator allows it. */
  readonly outer: Instance | undefined;
  /** The contributions as the guest described them. Untrusted. */
  readonly described: unknown;
  readonly contributions: ContributionCache;
  readonly onChange: () => void;
}

/**
 * Registrations within this time after the load and before the first call count as the entry's
 * initial contributions. Many extensions read their storage before they register.
 */
const BOOT_MS = 2_000;

/** A running entry with its current contributions and grant. */
export function makeLiveEntry(spec: LiveEntrySpec): InstalledEntry {
  return new Running(spec);
}

class Running implements InstalledEntry, LiveEntry, InstanceListener {
  readonly entry: PluginEntry;
  readonly spec: LiveEntrySpec;
  readonly format: Format;
  readonly revocations = new Map<string, Revocation>();
  readonly restart: ((cause: GuestEndCause) => void) | undefined;
  contributions: Contributions;
  tools: readonly RunnableTool[];
  #instances: InstancesByGrant | undefined;
  /** The contributions of a guest that was just loaded, and those of the running guest. */
  atFirst: unknown;
  now: unknown;
  #refresher: RefreshDebouncer | undefined;

  constructor(running: LiveEntrySpec) {
    const { spec, instance, described } = running;
    this.spec = running;
    this.entry = spec.entry;
    this.format = formatNamed(spec.plugin.format);
    this.atFirst = described;
    this.now = described;
    this.contributions = this.readOffer();
    this.tools = this.placeTools();
    this.restart =
      this.format.registersAtRunTime === true ? keepRunning(spec, instance) : undefined;
    instance.listen(this);
  }

  get effective(): Permissions {
    return this.spec.instance.grant.permissions;
  }

  get instances(): readonly Instance[] {
    const { instance, outer } = this.spec;
    const all = this.#instances?.all() ?? [instance];
    return outer === undefined ? all : [...all, outer];
  }

  get problems(): readonly PluginProblem[] {
    return problemsOf(this.spec.spec.bundle, this.contributions);
  }

  get live(): LiveEntry {
    return this;
  }

  updateGrant(grant: Grant): Promise<void> {
    const updated = this.instancesByGrant.updateGrant(grant);
    this.read();
    const { revocations, tools } = this;
    // guard: tool-calls-end-on-revocation
    for (const revocation of forget(revocations, tools)) revocation.happen();
    this.spec.onChange();
    return updated;
  }

  async refresh(): Promise<void> {
    const { spec, instance, contributions } = this.spec;
    const { plugin } = spec;
    const running = instance.guests.loaded !== undefined;
    this.take(
      running
        ? await contributions.ask(plugin, instance)
        : await contributions.of(plugin, instance, spec.config),
    );
  }

  contributionsChanged(): void {
    this.refresher.notice();
  }

  loaded(): void {
    if (this.format.registersAtRunTime === true) this.refresher.notice();
  }

  ended(cause: GuestEndCause): void {
    // Registrations at run time are lost when the guest ends.
    if (cause !== 'closed') this.take(this.atFirst);
    this.restart?.(cause);
  }

  get instancesByGrant(): InstancesByGrant {
    return (this.#instances ??= makeInstancesByGrant(this.spec.spec, this.spec.instance));
  }

  get refresher(): RefreshDebouncer {
    return (this.#refresher ??= makeRefreshDebouncer({
      now: () => performance.now(),
      ask: () => this.spec.contributions.ask(this.spec.spec.plugin, this.spec.instance),
      take: (answer) => this.reconcile(answer),
    }));
  }

  reconcile(answer: unknown): void {
    const { spec, instance, contributions } = this.spec;
    if (isStarting(instance)) {
      this.atFirst = answer;
      // If the answer cannot be cached, the guest is queried again at the next start.
      contributions.store(instance, spec.config, answer).catch(() => {});
    }
    this.take(answer);
  }

  take(answer: unknown): void {
    if (JSON.stringify(answer) === JSON.stringify(this.now)) return;
    this.now = answer;
    this.readAgain();
  }

  readAgain(): void {
    this.read();
    forget(this.revocations, this.tools);
    this.spec.onChange();
  }

  read(): void {
    this.contributions = this.readOffer();
    this.tools = this.placeTools();
  }

  readOffer(): Contributions {
    const { spec, instance, outer } = this.spec;
    const { plugin, entry, bundle } = spec;
    const { settings } = spec.services;
    const read = this.format.readContributions(this.now, {
      plugin,
      entry,
      granted: instance.grant.permissions,
      broken: bundle.broken.map(({ file }) => file),
      maxTimeoutMs: settings.limits.timeoutMs,
      hostMode: outer !== undefined,
    });
    const { pins } = spec.services;
    // guard: guest-lists-pinned
    if (pins === undefined || this.format.pinsListings !== true) return read;
    return pins.tools(instance, plugin.id, read, isStarting(instance));
  }

  placeTools(): readonly RunnableTool[] {
    const { spec, outer } = this.spec;
    const { plugin, config, services } = spec;
    const { settings } = services;
    const instances = this.instancesByGrant;
    const { inspector, limits } = settings;
    const tools = this.contributions.tools.map((read): RunnableTool => {
      const tool = inspector === undefined ? read : { ...read, timeoutMs: limits.timeoutMs };
      // guard: tool-gets-own-grant
      const own = (tool.executionTarget === 'host' ? outer : undefined) ?? instances.of(tool);
      const { grant } = own;
      const revoked = revocationOf(this.revocations, tool.toolId);
      const listed = listTool({ plugin, entry: own.entry, tool, config, grant, settings });
      return { listed, instance: own, revoked };
    });
    sendSchemas(this.instances, this.contributions);
    return tools;
  }
}

/** Whether its guest has just been loaded, and has run no call. */
function isStarting({ guests: { loaded, ageMs } }: Instance): boolean {
  return loaded?.callCount === 0 && ageMs < BOOT_MS;
}

function revocationOf(revocations: Map<string, Revocation>, toolId: string): Revocation {
  const revocation = revocations.get(toolId) ?? makeRevocation();
  revocations.set(toolId, revocation);
  return revocation;
}

/** Removes and returns the revocations of tools that no longer exist. */
function forget(
  revocations: Map<string, Revocation>,
  tools: readonly RunnableTool[],
): readonly Revocation[] {
  const left = new Set(tools.map(({ listed }) => listed.tool));
  return [...revocations].flatMap(([toolId, revocation]) => {
    if (left.has(toolId)) return [];
    revocations.delete(toolId);
    return [revocation];
  });
}

function problemsOf(bundle: Bundle, contributions: Contributions): readonly PluginProblem[] {
  return [
    ...bundle.broken.map(({ message }): PluginProblem => ({ code: 'BUNDLE_FAILED', message })),
    ...contributions.refused,
    ...contributions.problems.map((message): PluginProblem => ({ code: 'INVALID_TOOL', message })),
  ];
}

function sendSchemas(instances: readonly Instance[], { tools }: Contributions): void {
  const schemas: Schemas = tools.map(({ toolId, parameters }) => [toolId, parameters.schema]);
  for (const instance of instances) instance.setSchemas(schemas);
}

/** From the end of a guest to the start of the next. The cause of the end may still persist. */
const RESTART_MS = 50;

/** Interval at which a stopped plugin is tried again. It starts when the operator has resumed it. */
const STOPPED_MS = 1_000;

/** Causes after which the guest is not restarted. */
const FINAL: ReadonlySet<GuestEndCause> = new Set(['closed', 'start']);

/**
 * Starts the entry's guest now and after each end, if its plugin may run in the background.
 * Quarantine limits the restarts. Returns the listener for ends of the guest.
 */
export function keepRunning(
  { plugin, services: { settings } }: Pick<InstanceSpec, 'plugin' | 'services'>,
  instance: Instance,
): ((cause: GuestEndCause) => void) | undefined {
  if (!settings.background.includes(plugin.id)) return undefined;

  const start = (): void => {
    instance.guests.acquire().catch((error: unknown) => {
      if (isBulkheadError(error, 'QUARANTINED') || isBulkheadError(error, 'BUSY')) {
        later(error.details.retryAfterMs);
      } else if (isBulkheadError(error, 'STOPPED')) later(STOPPED_MS);
      // Other errors would repeat. The next call reports them.
    });
  };
  const later = (ms: number): void => {
    setTimeout(start, ms).unref();
  };

  start();
  return (cause) => {
    if (!FINAL.has(cause)) later(RESTART_MS);
  };
}
