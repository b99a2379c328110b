import type { MountPlaces } from '../node/scratch-mounts.js';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import type { TapeParams } from '../../../sandbox/wire/methods.js';
import type { Stores } from '../../brokers/storage/store.js';
import type { PowerBroker } from '../../brokers/powers/broker.js';
import type { MountUse } from '../../brokers/filesystem/mount-use.js';
import type { WrittenFiles } from '../../brokers/written-files.js';
import type { EventBus, GuestEndCause } from '../../events.js';
import type { GuestEnd } from '../../guests/end.js';
import type { Guest } from '../../guests/guest.js';
import type { Grant } from '../../permissions/grant.js';
import type { Bundle, Plugin, PluginEntry } from '../../plugin/plugin.js';
import type { StopGate } from '../../stops/gate.js';
import type { PluginSecrets } from '../types/options.js';
import type { Settings } from '../types/settings.js';
import type { GuestPlacement, GuestSource } from './guest-source.js';
import type { GuestSupervisor, Schemas } from './guest-supervisor.js';
import type { CallTracker, Outputs, RunningHooks } from './in-flight.js';
import type { RequestModeFactory } from './request-mode.js';
import type { DryRunMode } from './dry-run-mode.js';
import type { HeldSecret } from './secrets.js';
import type { OfferPins } from './offer-pins.js';
import type { ServerNotices } from './server-notices.js';

/** An entry that can be called: bundled, granted, with brokers for what it was granted. */
export interface Instance {
  readonly entry: PluginEntry;
  /** The current grant. */
  readonly grant: Grant;
  /** Whether its code also runs between calls: hooks, or work in the background. */
  readonly actsUncalled: boolean;
  /** What determines the power of its code: grant, configuration, secrets. An approval covers it. */
  readonly terms: JsonObject;
  readonly bundle: Bundle;
  /**
   * The granted variables that the plugin gets by reference. Their values never enter its guests.
   */
  readonly secrets: readonly HeldSecret[];
  readonly guests: GuestSupervisor;
  /** The largest answer of its guests, in bytes of JSON. */
  readonly maxAnswerBytes: number;
  /** Absent if the entry has neither `init` nor `shutdown`. */
  readonly lifecycle: Lifecycle | undefined;
  /** Its running hooks. */
  readonly runningHooks: RunningHooks;
  /** The listeners to its calls' output. */
  readonly outputs: Outputs;
  readonly calls: CallTracker;
  /** The broker of the host's powers; `undefined` if none is granted. */
  readonly powers: PowerBroker | undefined;
  /**
   * Changes the grant. When this returns, the host refuses what is no longer granted, and has ended
   * the requests that used it. When the promise resolves, the guests refuse it too.
   */
  updateGrant(next: Grant): Promise<void>;
  /**
   * Opens the same entry with guests of its own and the current grant, so that no state of other
   * calls is there. The caller closes it.
   */
  openSeparate(how: SeparateOptions): Instance;
  /**
   * Opens the same entry for a dry run: with guests of its own, and a copy of its storage. The caller closes
   * it, which removes the copy.
   */
  openDryRun(mode: DryRunMode): Promise<Instance>;
  /** Its instances for single tenants. Absent if the calls of its plugin are not isolated. */
  readonly tenants: TenantInstances | undefined;
  /** Drains its serving guests, and those of its tenants. */
  replaceGuests(): void;
  /** Kills its guests, those of its tenants, and those of its separate instances. It stays open. */
  halt(end: GuestEnd): void;
  /** Sets the schemas of inputs, in every current and later guest. */
  setSchemas(schemas: Schemas): void;
  /**
   * Sets the one listener to its guests. If one of them has already reported a change of its
   * contributions, the listener gets that report at once.
   */
  listen(listener: InstanceListener): void;
  /** Maps a guest's stack to the plugin's own source lines. */
  readonly mapStack: (stack: string) => string;
  /** Runs a task when this is closed. */
  onClose(task: () => void): void;
  /** Ends its guests and its brokers. */
  close(why?: GuestEnd): Promise<void>;
}

/**
 * The instances of one entry whose plugin's calls are isolated: one instance for each tenant, with
 * guests, storage, brokers, processor time and quarantine of its own. Calls without a tenant have an
 * instance too. The entry's own instance runs no calls: it describes the plugin.
 */
export interface TenantInstances {
  readonly all: readonly Instance[];
  /**
   * Runs work in the instance of the tenant. Under `call`, in an instance for this work alone, with a
   * fresh guest. `shutdown` runs in that guest, and it ends, after the result.
   */
  run<Result>(tenant: Tenant, work: TenantWork<Result>): Promise<Result>;
  /** Runs work in the instance of the tenant, for work that opens a separate instance itself. */
  share<Result>(tenant: Tenant, work: TenantWork<Result>): Promise<Result>;
  setSchemas(schemas: Schemas): void;
  updateGrant(next: Grant): Promise<void>;
  /** Drains the guests of all tenants. */
  replace(): void;
  /** Kills the guests of one tenant. */
  halt(tenant: Tenant, end: GuestEnd): void;
  close(why: GuestEnd): Promise<void>;
}

/** `undefined`: the tenant of all calls without one. */
export type Tenant = string | undefined;

/** Work that runs in an instance. */
export type TenantWork<Result> = (instance: Instance) => Promise<Result>;

export interface InstanceListener {
  /** A guest has loaded its code. */
  loaded(): void;
  /** A guest reports that its contributions have changed. */
  contributionsChanged(): void;
  /** The serving guest has ended. */
  ended(cause: GuestEndCause): void;
}

/** How the guests of a separate instance differ. Absent members stay as they are. */
export interface SeparateOptions {
  readonly take?: () => Guest;
  /** Records its guests' clocks, timers and randomness. */
  readonly tape?: TapeParams;
  readonly mode?: RequestModeFactory;
}

/** Services that all instances of an engine share. */
export interface EngineServices {
  readonly settings: Settings;
  readonly events: EventBus;
  readonly guests: GuestSource;
  /** The files that plugins store, by plugin. */
  readonly stores: Stores;
  /** The files that calls wrote, by plugin. */
  readonly written: (plugin: string) => WrittenFiles | undefined;
  /** What plugins have added to their writable mounts, by plugin. */
  readonly mountUse: (plugin: string) => MountUse;
  /** What the MCP servers among them report by themselves. */
  readonly notices: ServerNotices;
  /** Compares what servers list at run time. Absent while code is inspected. */
  readonly pins?: OfferPins;
  /** Where writable mounts are, if not at their paths: a dry run has copies. */
  readonly mountPlaces?: MountPlaces;
  /** Decides the requests of guests that run live. */
  readonly live: RequestModeFactory;
  readonly lifecycleOf: LifecycleFactory;
  /** What the operator stopped. */
  readonly stops: StopGate;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The parameters of `openInstance`. */
export interface InstanceSpec {
  readonly plugin: Plugin;
  readonly entry: PluginEntry;
  readonly bundle: Bundle;
  /** The operator's configuration of the plugin, as its format passes it on. */
  readonly config: Json;
  /** The variables that the plugin gets by reference. */
  readonly secrets: PluginSecrets;
  readonly grant: Grant;
  readonly placement: GuestPlacement & Pick<SeparateOptions, 'tape' | 'mode'>;
  /** The only tenant of its calls, under `isolation`; `id` is absent for calls without a tenant. */
  readonly tenant?: { readonly id: string | undefined };
  readonly services: EngineServices;
}

export type ShutdownReason = 'shutdown' | 'uninstall' | 'disable' | 'reload';

/** What an entry runs before a guest serves it, and before that guest ends. */
export interface Lifecycle {
  readonly hasInit: boolean;
  /** The order in which several plugins shut down. */
  readonly shutdownOrder: 'last-first' | 'first-first';
  /**
   * Runs `init` in a loaded guest that has run nothing yet. Rejects if the plugin must not be used.
   */
  begin(guest: Guest): Promise<void>;
  /**
   * Runs `shutdown` once in a guest whose `begin` has run, within `limits.shutdownTimeoutMs`. Never
   * rejects.
   */
  end(guest: Guest, reason: ShutdownReason): Promise<void>;
  /** Notes that the host ran `shutdown` itself. */
  ended(guest: Guest): void;
}

/** Returns `undefined` if the entry has neither `init` nor `shutdown`. */
export type LifecycleFactory = (subject: LifecycleSubject) => Lifecycle | undefined;

export interface LifecycleSubject {
  readonly plugin: string;
  readonly entry: PluginEntry;
  readonly instance: Pick<Instance, 'runningHooks' | 'guests' | 'mapStack'>;
  readonly initContext: InitContext;
  readonly events: EventBus;
}

/**
 * Builds the context that `init` gets about its plugin: `config`, `credentials`,
 * `pluginStorageDir`.
 */
export type InitContext = (guest: Guest) => Promise<JsonObject>;
