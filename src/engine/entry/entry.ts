import type { GuestEndCause } from '../../events.js';
import type { GuestEnd } from '../../guests/end.js';
import type { Guest } from '../../guests/guest.js';
import { makeScrubber } from '../../brokers/network/secrets/scrub.js';
import { coversAll } from '../../permissions/effective.js';
import type { Grant } from '../../permissions/grant.js';
import type { Bundle, Plugin, PluginEntry } from '../../plugin/plugin.js';
import { makeStackMapper } from '../../plugin/source-map.js';
import { needsBrokers, openBrokers } from './brokers.js';
import { type CallsUnderWay, makeCallsUnderWay } from '../call/calls-under-way.js';
import type { EntrySpec } from './entry-spec.js';
import { dialectOf } from '../hooks/hook-owners.js';
import { type Lifecycle, makeLifecycle } from './lifecycle.js';
import { type InitContext, makeInitContext } from './init-context.js';
import { lazily } from './lazily.js';
import { guestGrant, loadParams } from './load-params.js';
import { makeOutputs, type Outputs } from '../call/outputs.js';
import { makeResident, type Resident, type Schemas } from './resident.js';
import { makeRunningHooks, type RunningHooks } from '../hooks/running-hooks.js';
import { scrubbedEvents } from './scrubbed-events.js';
import { type HeldSecret, openSecrets } from '../options/secrets.js';
import { makeService } from './service.js';
import type { StoppedEffect } from '../call/stopped.js';
import { makeTenancy } from './tenancy.js';
import { makeRehearsal, type Rehearsal } from '../call/trial.js';

/** An entry that can be called: bundled, granted, with the powers it was granted opened. */
export interface OpenEntry {
  readonly entry: PluginEntry;
  /** As it is now. */
  readonly grant: Grant;
  readonly bundle: Bundle;
  /** The variables whose values it never sees, among those that it is granted. */
  readonly secrets: readonly HeldSecret[];
  readonly resident: Resident;
  /** Absent where it has neither `init` nor `shutdown`. */
  readonly lifecycle: Lifecycle | undefined;
  /** Its hooks that run now. */
  readonly running: RunningHooks;
  /** Whoever listens to what its calls write. */
  readonly outputs: Outputs;
  readonly calls: CallsUnderWay;
  /**
   * Changes what it holds. When this returns the host refuses what is no longer granted, and has
   * ended what was under way by it; when the promise resolves, so do its guests.
   */
  follow(next: Grant): Promise<void>;
  /**
   * The same entry with guests of its own and what it is granted now: nothing that another call did
   * is there. Whoever opens it closes it.
   */
  again(how: Pick<EntrySpec, 'take' | 'tape'>): OpenEntry;
  /** Says what inputs have to fit, in this and every later guest. */
  setSchemas(schemas: Schemas): void;
  /** Says who hears of its guests. One listener; the last counts. */
  listen(listener: EntryListener): void;
  /** Turns a stack from the guest into the plugin's own source lines. */
  readonly mapStack: (stack: string) => string;
  /** The same in a guest of its own, with what would change something stopped and listed. */
  rehearse(): { readonly room: OpenEntry; readonly stopped: readonly StoppedEffect[] };
  /** Has it done when this is closed. */
  onClose(task: () => void): void;
  /** Ends its guest and its brokers. */
  close(): Promise<void>;
}

export interface EntryListener {
  /** A guest has loaded its code. */
  loaded(): void;
  /** A guest says that what it offers has changed. */
  offers(): void;
  /** The guest that held it has ended. */
  ended(cause: GuestEndCause): void;
}

/** Throws `INVALID_OPTIONS` for a secret whose value cannot be one. */
export function openEntry(spec: EntrySpec, rehearsal?: Rehearsal): OpenEntry {
  const { plugin, entry, bundle, settings } = spec;
  let { grant } = spec;
  const sourceUrl = `${plugin.id}/${entry.key}.js`;
  const references = openSecrets(plugin, spec.secrets, settings.env);
  const secrets = (): readonly HeldSecret[] =>
    references.filter(({ name }) => grant.allowsVariable(name));
  const { text: clean } = makeScrubber(references);
  // No value ever reaches the guest. If one did, what it says would still not carry it into a log.
  const events = references.length === 0 ? spec.events : scrubbedEvents(spec.events, clean);
  const mapOnly = makeStackMapper(sourceUrl, () => bundle.sourceMap);
  const mapStack = (stack: string): string => clean(mapOnly(stack));
  const running = makeRunningHooks(plugin.id, events);
  const initContext = makeInitContext(spec, () => grant);
  const lifecycle = makeLifecycle({
    plugin: plugin.id,
    entry,
    dialect: dialectOf(plugin.id, entry, settings),
    texts: spec.hookTexts,
    room: () => ({ running, resident: resident.get(), mapStack }),
    initContext,
    assistantVersion: settings.hooks.assistantVersion,
    limits: settings.limits,
    events,
  });
  let listener: EntryListener | undefined;
  let schemas: Schemas | undefined;
  let closed = false;
  const closing: (() => void)[] = [];
  /** Rooms beside this one that hold what it holds, each for a call of its own. */
  const others = new Set<OpenEntry>();
  const adopt = (other: OpenEntry): OpenEntry => {
    others.add(other);
    other.onClose(() => others.delete(other));
    if (schemas !== undefined) other.setSchemas(schemas);
    return other;
  };
  const outputs = makeOutputs();
  const calls = makeCallsUnderWay();
  const open = lazily(() => openBrokers({ ...spec, events, held: () => grant, secrets }));
  // What cannot be opened is told when it is installed.
  if (needsBrokers(grant.permissions)) open.get();
  const resident = lazily((): Resident => {
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
      begin: lifecycle?.begin ?? needsOf(plugin, initContext),
      load: () => loadParams(spec, sourceUrl, guestGrant(grant, settings.env, secrets())),
      service: makeService({
        plugin: plugin.id,
        brokers: open.get().brokers,
        events,
        maxLogLinesPerSecond: settings.limits.maxLogLinesPerSecond,
        now: spec.now,
        mapStack,
        broadcast: running.broadcast,
        onOffers: () => listener?.offers(),
        outputs,
        behalfOf: calls.of,
        holdFor: (peer) => rehearsal?.hold ?? spec.effects.holdFor(calls.flights(peer), source),
        ...(rehearsal === undefined ? {} : { check: rehearsal.check }),
      }),
      onLoaded: () => listener?.loaded(),
      onEnded: (cause) => listener?.ended(cause),
      loadTimeoutMs: settings.limits.loadTimeoutMs,
      graceMs: settings.limits.graceMs,
      events,
    });
    if (schemas !== undefined) made.setSchemas(schemas);
    if (closed) made.end(LET_GO);
    return made;
  });
  return {
    entry,
    get grant() {
      return grant;
    },
    bundle,
    get secrets() {
      return secrets();
    },
    get resident() {
      return resident.get();
    },
    lifecycle,
    running,
    outputs,
    calls,
    mapStack,
    again: (how) => adopt(openEntry({ ...spec, ...how, grant, group: undefined })),
    setSchemas: (next) => {
      schemas = next;
      resident.made?.setSchemas(next);
    },
    listen: (next) => {
      listener = next;
    },
    follow: (next) => {
      const before = grant;
      grant = next;
      open.made?.follow(before);
      const narrowed = !coversAll(grant.permissions, before.permissions);
      const told = guestGrant(grant, settings.env, secrets());
      return Promise.all([
        resident.made?.regrant(told, narrowed),
        ...[...others].map((other) => other.follow(next)),
      ]).then(() => {});
    },
    onClose: (task) => closing.push(task),
    rehearse: () => {
      const trial = makeRehearsal(plugin.id, (name) => settings.lent.find(name)?.risk);
      const room = adopt(openEntry({ ...spec, grant, group: undefined }, trial));
      return { room, stopped: trial.stopped };
    },
    close: async () => {
      for (const task of closing.splice(0)) task();
      closed = true;
      resident.made?.end(LET_GO);
      await open.made?.close();
    },
  };
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
