import type { EndowmentCapabilities } from '../endowments/endowment.js';
import type { PowerClient } from '../endowments/powers.js';
import type { StorageClient, StoragePlace } from '../endowments/storage/client.js';
import type { Json } from '../wire/messages.js';
import type { CallReport, GuestGrant, LogParams } from '../wire/methods.js';

/**
 * The runtime interface that the plugins of one system expect. It runs in the guest. Any access to
 * `exports` may run plugin code, throw, or never settle.
 */
export interface Dialect {
  /** Whether the permission `random` includes cryptographic randomness. */
  readonly hasCryptoRandom: boolean;
  /**
   * Hardened global names in addition to the endowments, defined before the plugin's code runs.
   * `attach` gets the same world.
   */
  readonly globals?: (world: DialectWorld) => Readonly<Record<string, unknown>>;
  /** The modules that the guest provides to this plugin, by specifier. They are hardened. */
  readonly modules?: (world: DialectWorld) => Readonly<Record<string, unknown>>;
  /** The file of the program, if the plugin is one: the package of this file gets its arguments. */
  readonly program?: (world: DialectWorld) => string | undefined;
  /** Runs before the plugin's code and delays it until it resolves. Never rejects. */
  readonly prepare?: (world: DialectWorld) => Promise<void>;
  /** What to report instead of an error of the code's evaluation, if that is only how it ended. */
  readonly whyNotLoaded?: (error: unknown, world: DialectWorld) => Promise<unknown>;
  attach(exports: Readonly<Record<string, unknown>>, world: DialectWorld): Attached;
}

export interface DialectWorld {
  readonly config: Json;
  /** The plugin's information about itself, as its format made it. */
  readonly pluginInfo: Json;
  /** Names of the host's powers, granted or not. */
  readonly hostPowers: readonly string[];
  /** The platform, the grant and the host, from which the endowments are built. */
  readonly powers: EndowmentCapabilities;
  /** The granted variables with their current values. */
  readonly environment: Readonly<Record<string, string>>;
  /** The current grant. The host may change it while the plugin runs. */
  readonly grant: GuestGrant;
  readonly log: (level: 'debug' | 'info' | 'warn' | 'error', parts: readonly unknown[]) => void;
  /** Calls the listener with each line that the plugin's code, or a package in it, writes with `console`. */
  readonly listen: (listener: (level: LogParams['level'], text: string) => void) => void;
  /** Serializes any value of the plugin as JSON text, within the guest's budgets. `subject` is that of its errors. */
  readonly serialize: (value: unknown, options?: { readonly subject?: string }) => string;
  /** A storage area of the plugin. Its methods reject if storage is not granted. */
  readonly storage: (place?: StoragePlace) => StorageClient;
  /** Uses a power of the host by name. Rejects with the denial if it is not granted. */
  readonly usePower: PowerClient['use'];
  /** Ends the guest after its answers have been sent. The next call starts another one. */
  readonly end: () => void;
}

export interface Attached {
  /** The plugin's contributions, as JSON text for the format's reader. */
  describe(): Promise<string>;
  /** Runs a tool. Returns the plugin's own value, which may be a promise. */
  call(tool: string, input: unknown, call: CallWorld): unknown;
  /** The plugin's hooks. Absent if the dialect has none. */
  readonly hooks?: AttachedHooks;
  /** Delivers an event of the host, and returns its answer. Absent: the dialect has no events. */
  event?(name: string, payload: Json, event: EventWorld): unknown;
  /** Called after the grant has changed. The endowments are already updated. */
  regrant?(grant: GuestGrant): void;
}

export interface AttachedHooks {
  /** The functions of a hook's context, for one run. Each is hardened. */
  makeMembers(
    broadcast: (detail: unknown) => void,
  ): Readonly<Record<'logger' | 'broadcast', unknown>>;
  /** Runs a hook. Returns the plugin's own value. */
  run(hook: string, context: object): Promise<HookAnswer>;
}

/** Wraps the value, because a context that a hook returns may be a thenable. */
export interface HookAnswer {
  readonly returned: unknown;
}

export interface EventWorld {
  /** An `AbortSignal` of the compartment. It aborts at the deadline. Created on first read. */
  readonly signal: unknown;
  /** The user who caused the event, if the host names one. */
  readonly userId: string | undefined;
}

export interface CallWorld {
  /** An `AbortSignal` that aborts on cancel and at the deadline. Created on first read. */
  readonly signal: unknown;
  /** The host's context for this call. */
  readonly context: Json;
  /** Sends the tool's output while it runs. Absent if the caller does not read it. */
  readonly output: ((text: string) => void) | undefined;
  /** Reports the progress of the call, and its text for callers that only read output. Absent as `output` is. */
  readonly progress: ((report: CallReport, text: string) => void) | undefined;
  /** The surface of the tool, if its format has surfaces. */
  readonly surface: string | undefined;
}
