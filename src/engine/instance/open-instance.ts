import { makeFileExplainer } from './explain-file.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { Peer } from '../../../sandbox/wire/peer.js';
import type { Service } from '../../../sandbox/wire/service.js';
import { makeScrubber } from '../../brokers/network/secrets/filter.js';
import { BulkheadError } from '../../errors.js';
import type { EventBus } from '../../events.js';
import { formatNamed } from '../../formats/table.js';
import type { GuestEnd } from '../../guests/end.js';
import type { Guest } from '../../guests/guest.js';
import { coversAll, type Grant } from '../../permissions/grant.js';
import { buildKey } from '../../plugin/artifact/artifact.js';
import { type Bundle, type Plugin, type PluginEntry, subjectHashOf } from '../../plugin/plugin.js';
import { makeStackMapper } from '../../plugin/source-map.js';
import { explainStop } from '../../stops/stop.js';
import { isolationOf } from '../types/guest-options.js';
import { needsBrokers, type OpenBrokers, openBrokers } from './brokers.js';
import { makeGuestAllocator } from './guest-source.js';
import { type GuestSupervisor, makeGuestSupervisor, type Schemas } from './guest-supervisor.js';
import {
  type CallTracker,
  makeCallTracker,
  makeOutputs,
  makeRunningHooks,
  type Outputs,
  type RunningHooks,
} from './in-flight.js';
import type {
  InitContext,
  Instance,
  InstanceListener,
  InstanceSpec,
  Lifecycle,
  SeparateOptions,
  TenantInstances,
} from './instance.js';
import { guestGrant, loadParams, makeInitContext } from './load.js';
import { type HeldSecret, openSecrets } from './secrets.js';
import { dryRunOf } from './dry-run-instance.js';
import type { DryRunMode } from './dry-run-mode.js';
import { passClientLog } from './server-notices.js';
import { makeService } from './service.js';
import { makeTenantInstances } from './tenants.js';
import { makeTerms } from './terms.js';
import { shellWord } from '../../visible.js';

/**
 * Opens an entry. All code that a guest runs passes here. Throws `NOT_LOCKED` if a lock file is in use and the
 * code is not from the accepted artifact of the plugin, and `INVALID_OPTIONS` for an invalid value of a secret.
 */
export function openInstance(spec: InstanceSpec): Instance {
  const { plugin, entry, bundle, services } = spec;
  const { lock } = services.settings;
  // The host accepts its default plugins and its workspace by naming them.
  // guard: unpinned-code-refused
  if (lock !== undefined && plugin.origin === undefined && !lock.admits(plugin.id, bundle)) {
    throw notPinned(plugin.id, entry);
  }
  return new InstanceState(spec);
}

export function notPinned(id: string, entry: PluginEntry): BulkheadError<'NOT_LOCKED'> {
  return new BulkheadError(
    'NOT_LOCKED',
    `${id} does not run: the lock file names no artifact with the build ${buildKey(entry)}. Review and accept it: bulkhead update ${shellWord(id)}`,
    { plugin: id },
  );
}

/**
 * State that only calls need is created by the first call, because most installed entries are never
 * called.
 */
class InstanceState implements Instance {
  readonly entry: PluginEntry;
  readonly bundle: Bundle;
  readonly lifecycle: Lifecycle | undefined;
  grant: Grant;
  readonly spec: InstanceSpec;
  readonly references: readonly HeldSecret[];
  readonly initContext: InitContext;
  readonly clean: (text: string) => string;
  readonly events: EventBus;
  readonly closing: (() => void)[] = [];
  /** Separate instances with the same grant, each for one call. */
  others: Set<Instance> | undefined;
  /** Only if the calls of its plugin are isolated. */
  readonly tenants: TenantInstances | undefined;
  brokers: OpenBrokers | undefined;
  home: GuestSupervisor | undefined;
  listener: InstanceListener | undefined;
  /** Whether a guest has reported a change of its contributions, perhaps before there was a listener. */
  hasChanged = false;
  schemas: Schemas | undefined;
  /** Why the instance was closed; `undefined` while it is open. */
  closed: GuestEnd | undefined;
  #running: RunningHooks | undefined;
  readonly #terms: () => JsonObject;
  #outputs: Outputs | undefined;
  #calls: CallTracker | undefined;
  #mapStack: ((stack: string) => string) | undefined;

  constructor(spec: InstanceSpec) {
    const { plugin, entry, services } = spec;
    this.spec = spec;
    this.entry = entry;
    this.bundle = spec.bundle;
    this.grant = spec.grant;
    this.references = openSecrets(plugin, spec.secrets, services.settings.env);
    this.#terms = makeTerms({
      grant: () => this.grant,
      secrets: () => this.secrets,
      config: spec.config,
      network: services.settings.network,
    });
    const hasSecrets = this.references.length > 0;
    this.clean = hasSecrets ? makeScrubber(this.references).text : asItIs;
    // Secret values never reach the guest. As a second line of defense, events are scrubbed of
    // them.
    this.events = hasSecrets ? scrubbedEvents(services.events, this.clean) : services.events;
    this.initContext = makeInitContext(spec, () => this.grant);
    this.lifecycle = services.lifecycleOf({
      plugin: plugin.id,
      entry,
      instance: this,
      initContext: this.initContext,
      events: this.events,
    });
    const isolation = isolationOf(services.settings, plugin.id);
    this.tenants =
      spec.tenant === undefined && isolation !== 'plugin'
        ? makeTenantInstances({
            isolation,
            spec: () => ({ ...spec, grant: this.grant }),
            open: openInstance,
            schemas: () => this.schemas,
          })
        : undefined;
    // A broker that cannot be opened is reported when the plugin is installed.
    if (needsBrokers(spec.grant.permissions)) this.open();
  }

  get terms(): JsonObject {
    return this.#terms();
  }

  get secrets(): readonly HeldSecret[] {
    return this.references.filter(({ name }) => this.grant.allowsVariable(name));
  }

  get maxAnswerBytes(): number {
    return this.spec.services.settings.limits.maxResultBytes;
  }

  get runningHooks(): RunningHooks {
    return (this.#running ??= makeRunningHooks(this.spec.plugin.id, this.events));
  }

  get outputs(): Outputs {
    return (this.#outputs ??= makeOutputs());
  }

  get calls(): CallTracker {
    return (this.#calls ??= makeCallTracker());
  }

  get guests(): GuestSupervisor {
    return (this.home ??= this.settle());
  }

  get mapStack(): (stack: string) => string {
    if (this.#mapStack === undefined) {
      const mapOnly = makeStackMapper(this.sourceUrl, () => this.bundle.sourceMap);
      this.#mapStack = (stack) => this.clean(mapOnly(stack));
    }
    return this.#mapStack;
  }

  openSeparate(how: SeparateOptions): Instance {
    const placement = { ...this.spec.placement, ...how, group: undefined };
    return this.adopt(openInstance({ ...this.spec, grant: this.grant, placement }));
  }

  async openDryRun(mode: DryRunMode): Promise<Instance> {
    const how = await dryRunOf(this.spec, this.grant, mode);
    const other = openInstance(how.spec);
    if (how.remove !== undefined) other.onClose(how.remove);
    return this.adopt(other);
  }

  setSchemas(schemas: Schemas): void {
    this.schemas = schemas;
    this.home?.setSchemas(schemas);
    this.tenants?.setSchemas(schemas);
  }

  replaceGuests(): void {
    this.guests.replace();
    this.tenants?.replace();
  }

  halt(end: GuestEnd): void {
    this.home?.halt(end);
    for (const other of this.others ?? []) other.halt(end);
    for (const one of this.tenants?.all ?? []) one.halt(end);
  }

  listen(listener: InstanceListener): void {
    this.listener = listener;
    if (this.hasChanged) listener.contributionsChanged();
  }

  updateGrant(next: Grant): Promise<void> {
    const before = this.grant;
    this.grant = next;
    this.brokers?.follow(before);
    const narrowed = !coversAll(next.permissions, before.permissions);
    const sent = guestGrant(next, this.spec.services.settings.env, this.secrets);
    return Promise.all([
      this.home?.regrant(sent, narrowed),
      this.tenants?.updateGrant(next),
      ...[...(this.others ?? [])].map((other) => other.updateGrant(next)),
    ]).then(() => {});
  }

  onClose(task: () => void): void {
    this.closing.push(task);
  }

  async close(why: GuestEnd = UNLOADED): Promise<void> {
    for (const task of this.closing.splice(0)) task();
    this.closed ??= why;
    this.home?.end(this.closed);
    // guard: separate-instances-end-with-theirs
    for (const other of this.others ?? []) void other.close(this.closed);
    await Promise.all([this.tenants?.close(this.closed), this.brokers?.close()]);
  }

  get sourceUrl(): string {
    return `${this.spec.plugin.id}/${this.entry.key}.js`;
  }

  adopt(other: Instance): Instance {
    const others = (this.others ??= new Set());
    others.add(other);
    other.onClose(() => others.delete(other));
    if (this.schemas !== undefined) other.setSchemas(this.schemas);
    return other;
  }

  get powers(): Instance['powers'] {
    return this.open().brokers.powers;
  }

  open(): OpenBrokers {
    return (this.brokers ??= openBrokers({
      plugin: this.spec.plugin,
      tenant: this.spec.tenant?.id,
      services: this.spec.services,
      events: this.events,
      held: () => this.grant,
      secrets: () => this.secrets,
    }));
  }

  settle(): GuestSupervisor {
    const { spec, entry, bundle, events } = this;
    const { plugin, placement, services } = spec;
    const { settings, guests } = services;
    const { limits } = settings;
    const made = makeGuestSupervisor({
      subject: { plugin: plugin.id, entry: entry.key, bundle: subjectHashOf(bundle) },
      stopped: () => {
        const stop = services.stops.find(plugin.id, spec.tenant?.id);
        return stop && { cause: 'stopped', detail: explainStop(stop) };
      },
      take: makeGuestAllocator({ plugin: plugin.id, placement, settings, source: guests }),
      prepare: {
        load: () =>
          loadParams(spec, this.sourceUrl, guestGrant(this.grant, settings.env, this.secrets)),
        service: this.serve(),
        validator: guests.validator,
        begin: this.lifecycle?.begin ?? needsOf(plugin, this.initContext),
      },
      limits,
      // Registrations at run time belong to one guest.
      replicas:
        formatNamed(plugin.format).registersAtRunTime === true
          ? undefined
          : settings.replicas[plugin.id]?.max,
      stateful: this.actsUncalled || formatNamed(plugin.format).registersAtRunTime === true,
      events,
      listener: {
        loaded: () => this.listener?.loaded(),
        ended: (cause) => this.listener?.ended(cause),
      },
    });
    if (this.schemas !== undefined) made.setSchemas(this.schemas);
    if (this.closed !== undefined) made.end(this.closed);
    return made;
  }

  /** Whether its code also runs between calls: hooks, or work in the background. */
  get actsUncalled(): boolean {
    const { plugin, services } = this.spec;
    return (
      formatNamed(plugin.format).actsUncalled === true ||
      (this.entry.surfaces ?? []).some(({ kind }) => kind === 'hooks') ||
      services.settings.background.includes(plugin.id)
    );
  }

  serve(): (peer: Peer) => Service {
    const { spec, bundle, calls } = this;
    const { plugin, placement, services } = spec;
    const { settings } = services;
    const modeOf = placement.mode ?? services.live;
    const mode = modeOf({
      plugin: plugin.id,
      version: plugin.version,
      bundle: subjectHashOf(bundle),
      actsUncalled: this.actsUncalled,
      calls,
      terms: () => this.terms,
      riskOfPower: (name) => settings.hostPowers.find(name)?.risk,
    });
    return makeService({
      gate: {
        plugin: plugin.id,
        brokers: this.open().brokers,
        mode,
        attributionOf: calls.attributionOf,
        makerOf: calls.makerOf,
        explainFile: makeFileExplainer(plugin, this.events),
        attribute: calls.attribute,
      },
      onAct: calls.acted,
      listeners: {
        mapStack: this.mapStack,
        broadcast: this.runningHooks.broadcast,
        contributionsChanged: () => {
          this.hasChanged = true;
          this.listener?.contributionsChanged();
        },
        outputs: this.outputs,
        offersChanged: (params) => services.notices.changed(plugin.id, params),
        clientLog: (peer, params) => passClientLog(calls.openCallsOf(peer), params),
      },
      events: this.events,
      maxLogLinesPerSecond: settings.limits.maxLogLinesPerSecond,
      now: services.now,
    });
  }
}

function asItIs(text: string): string {
  return text;
}

const UNLOADED: GuestEnd = { cause: 'closed', detail: 'the engine unloaded the plugin' };

/**
 * Checks the configuration and the credentials of an entry without `init`. The entry does not start
 * without them.
 */
function needsOf(
  { configSchema, credentials }: Plugin,
  initContext: InitContext,
): ((guest: Guest) => Promise<void>) | undefined {
  if (configSchema === undefined && credentials === undefined) return undefined;
  return async (guest) => void (await initContext(guest));
}

/** Passes events on and applies `clean` to every text in them. */
export function scrubbedEvents(events: EventBus, clean: (text: string) => string): EventBus {
  return {
    on: events.on,
    hasListener: events.hasListener,
    emit: (event) => {
      const entries = Object.entries(event).map(([key, value]: [string, unknown]) => [
        key,
        typeof value === 'string' ? clean(value) : value,
      ]);
      events.emit({ ...event, ...Object.fromEntries(entries) });
    },
  };
}
