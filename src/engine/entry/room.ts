import type { EventBus } from '../../events.js';
import type { GuestEnd } from '../../guests/end.js';
import type { Guest } from '../../guests/guest.js';
import { makeScrubber } from '../../brokers/network/secrets/scrub.js';
import { coversAll } from '../../permissions/effective.js';
import type { Grant } from '../../permissions/grant.js';
import type { Bundle, Plugin, PluginEntry } from '../../plugin/plugin.js';
import { makeStackMapper } from '../../plugin/source-map.js';
import { needsBrokers, type OpenBrokers, openBrokers } from './brokers.js';
import { type CallsUnderWay, makeCallsUnderWay } from '../call/calls-under-way.js';
import type { EntryListener, OpenEntry } from './entry.js';
import type { EntrySpec } from './entry-spec.js';
import { dialectOf } from '../hooks/hook-owners.js';
import { type Lifecycle, makeLifecycle } from './lifecycle.js';
import { type InitContext, makeInitContext } from './init-context.js';
import { guestGrant, loadParams } from './load-params.js';
import { makeOutputs, type Outputs } from '../call/outputs.js';
import { makeResident, type Resident, type Schemas } from './resident.js';
import { makeRunningHooks, type RunningHooks } from '../hooks/running-hooks.js';
import { scrubbedEvents } from './scrubbed-events.js';
import { type HeldSecret, openSecrets } from '../options/secrets.js';
import { makeService } from './service.js';
import { makeTenancy } from './tenancy.js';
import { makeRehearsal, type Rehearsal } from '../call/trial.js';

/** Throws `INVALID_OPTIONS` for a secret whose value cannot be one. */
export function openEntry(spec: EntrySpec, rehearsal?: Rehearsal): OpenEntry {
  return new Room(spec, rehearsal);
}

/**
 * A class, because there is one for every entry that is installed, most of which nobody ever calls:
 * what only calls need is made by the first of them.
 */
class Room implements OpenEntry {
  readonly entry: PluginEntry;
  readonly bundle: Bundle;
  readonly lifecycle: Lifecycle | undefined;
  grant: Grant;
  readonly spec: EntrySpec;
  readonly rehearsal: Rehearsal | undefined;
  readonly references: readonly HeldSecret[];
  readonly initContext: InitContext;
  readonly clean: (text: string) => string;
  readonly events: EventBus;
  readonly closing: (() => void)[] = [];
  /** Rooms beside this one that hold what it holds, each for a call of its own. */
  others: Set<OpenEntry> | undefined;
  brokers: OpenBrokers | undefined;
  home: Resident | undefined;
  listener: EntryListener | undefined;
  schemas: Schemas | undefined;
  /** Why, once it is. */
  closed: GuestEnd | undefined;
  #running: RunningHooks | undefined;
  #outputs: Outputs | undefined;
  #calls: CallsUnderWay | undefined;
  #mapStack: ((stack: string) => string) | undefined;

  constructor(spec: EntrySpec, rehearsal: Rehearsal | undefined) {
    const { plugin, entry, settings } = spec;
    this.spec = spec;
    this.rehearsal = rehearsal;
    this.entry = entry;
    this.bundle = spec.bundle;
    this.grant = spec.grant;
    this.references = openSecrets(plugin, spec.secrets, settings.env);
    const hasSecrets = this.references.length > 0;
    this.clean = hasSecrets ? makeScrubber(this.references).text : asItIs;
    // No value ever reaches the guest. If one did, what it says would still not carry it into a log.
    this.events = hasSecrets ? scrubbedEvents(spec.events, this.clean) : spec.events;
    this.initContext = makeInitContext(spec, () => this.grant);
    this.lifecycle = makeLifecycle({
      plugin: plugin.id,
      entry,
      dialect: dialectOf(plugin.id, entry, settings),
      texts: spec.hookTexts,
      room: () => this,
      initContext: this.initContext,
      assistantVersion: settings.hooks.assistantVersion,
      limits: settings.limits,
      events: this.events,
    });
    // What cannot be opened is told when it is installed.
    if (needsBrokers(spec.grant.permissions)) this.open();
  }

  get secrets(): readonly HeldSecret[] {
    return this.references.filter(({ name }) => this.grant.allowsVariable(name));
  }

  get running(): RunningHooks {
    return (this.#running ??= makeRunningHooks(this.spec.plugin.id, this.events));
  }

  get outputs(): Outputs {
    return (this.#outputs ??= makeOutputs());
  }

  get calls(): CallsUnderWay {
    return (this.#calls ??= makeCallsUnderWay());
  }

  get resident(): Resident {
    return (this.home ??= this.settle());
  }

  get mapStack(): (stack: string) => string {
    if (this.#mapStack === undefined) {
      const mapOnly = makeStackMapper(this.sourceUrl, () => this.bundle.sourceMap);
      this.#mapStack = (stack) => this.clean(mapOnly(stack));
    }
    return this.#mapStack;
  }

  again(how: Pick<EntrySpec, 'take' | 'tape'>): OpenEntry {
    return this.adopt(openEntry({ ...this.spec, ...how, grant: this.grant, group: undefined }));
  }

  setSchemas(schemas: Schemas): void {
    this.schemas = schemas;
    this.home?.setSchemas(schemas);
  }

  listen(listener: EntryListener): void {
    this.listener = listener;
  }

  follow(next: Grant): Promise<void> {
    const before = this.grant;
    this.grant = next;
    this.brokers?.follow(before);
    const narrowed = !coversAll(next.permissions, before.permissions);
    const told = guestGrant(next, this.spec.settings.env, this.secrets);
    return Promise.all([
      this.home?.regrant(told, narrowed),
      ...[...(this.others ?? [])].map((other) => other.follow(next)),
    ]).then(() => {});
  }

  onClose(task: () => void): void {
    this.closing.push(task);
  }

  rehearse(): ReturnType<OpenEntry['rehearse']> {
    const { plugin, settings } = this.spec;
    const trial = makeRehearsal(plugin.id, (name) => settings.lent.find(name)?.risk);
    const spec = { ...this.spec, grant: this.grant, group: undefined };
    return { room: this.adopt(openEntry(spec, trial)), stopped: trial.stopped };
  }

  async close(why: GuestEnd = LET_GO): Promise<void> {
    for (const task of this.closing.splice(0)) task();
    this.closed = why;
    this.home?.end(why);
    await this.brokers?.close();
  }

  get sourceUrl(): string {
    return `${this.spec.plugin.id}/${this.entry.key}.js`;
  }

  adopt(other: OpenEntry): OpenEntry {
    const others = (this.others ??= new Set());
    others.add(other);
    other.onClose(() => others.delete(other));
    if (this.schemas !== undefined) other.setSchemas(this.schemas);
    return other;
  }

  open(): OpenBrokers {
    return (this.brokers ??= openBrokers({
      ...this.spec,
      events: this.events,
      held: () => this.grant,
      secrets: () => this.secrets,
    }));
  }

  settle(): Resident {
    const { spec, entry, bundle, events, rehearsal, calls } = this;
    const { plugin, settings } = spec;
    const source = {
      plugin: plugin.id,
      version: plugin.version,
      bundle: bundle.hash,
      worksUnasked:
        entry.dialect === 'spindle' ||
        (entry.surfaces ?? []).some(({ kind }) => kind === 'hooks') ||
        settings.background.includes(plugin.id),
    };
    const made = makeResident({
      plugin: plugin.id,
      entry: entry.key,
      bundleHash: bundle.hash,
      take: makeTenancy(spec),
      validator: spec.validator,
      begin: this.lifecycle?.begin ?? needsOf(plugin, this.initContext),
      load: () =>
        loadParams(spec, this.sourceUrl, guestGrant(this.grant, settings.env, this.secrets)),
      service: makeService({
        plugin: plugin.id,
        brokers: this.open().brokers,
        events,
        maxLogLinesPerSecond: settings.limits.maxLogLinesPerSecond,
        now: spec.now,
        mapStack: this.mapStack,
        broadcast: this.running.broadcast,
        onOffers: () => this.listener?.offers(),
        outputs: this.outputs,
        behalfOf: calls.of,
        holdFor: (peer) => rehearsal?.hold ?? spec.effects.holdFor(calls.flights(peer), source),
        ...(rehearsal === undefined ? {} : { check: rehearsal.check }),
      }),
      onLoaded: () => this.listener?.loaded(),
      onEnded: (cause) => this.listener?.ended(cause),
      loadTimeoutMs: settings.limits.loadTimeoutMs,
      graceMs: settings.limits.graceMs,
      events,
    });
    if (this.schemas !== undefined) made.setSchemas(this.schemas);
    if (this.closed !== undefined) made.end(this.closed);
    return made;
  }
}

function asItIs(text: string): string {
  return text;
}

const LET_GO: GuestEnd = { cause: 'closed', detail: 'the engine let go of its plugin' };

/** Who has no `init` to be told does not begin either without what it needs. */
function needsOf(
  { configSchema, credentials }: Plugin,
  initContext: InitContext,
): ((guest: Guest) => Promise<void>) | undefined {
  if (configSchema === undefined && credentials === undefined) return undefined;
  return async (guest) => void (await initContext(guest));
}
