import type { EndowmentPowers } from '../endowments/endowment.js';
import type { PowerClient } from '../endowments/powers.js';
import type { StorageClient, StoragePlace } from '../endowments/storage/client.js';
import type { Json } from '../wire/messages.js';
import type { GuestGrant } from '../wire/methods.js';

/**
 * The world that plugin code written for one system expects, and how that system's plugins are
 * asked and called. Everything here runs in the guest; `exports` and whatever it leads to is the
 * plugin's, so every use of it may run the plugin's code, throw, or never settle.
 */
export interface Dialect {
  /**
   * Global names that code of this dialect finds from its first line on, beside what it is endowed
   * with. They are hardened. `attach` is later called with the same world.
   */
  readonly globals?: (world: DialectWorld) => Readonly<Record<string, unknown>>;
  /** The modules that the guest provides to this plugin, by specifier. They are hardened for it. */
  readonly modules?: (world: DialectWorld) => Readonly<Record<string, unknown>>;
  /** What has to be known before the plugin's code runs. It may take its time; it never rejects. */
  readonly prepare?: (world: DialectWorld) => Promise<void>;
  attach(exports: Readonly<Record<string, unknown>>, world: DialectWorld): Attached;
}

export interface DialectWorld {
  readonly config: Json;
  /** What the plugin's format has to say to the plugin's code about itself. */
  readonly introduction: Json;
  /** Names of the powers that the host lends, granted to this plugin or not. */
  readonly lent: readonly string[];
  /** What the endowments are made of: the platform, the grant, and the host. */
  readonly powers: EndowmentPowers;
  /** The granted variables, as they are now. */
  readonly environment: Readonly<Record<string, string>>;
  /** What the plugin holds now: a host may change it while the plugin runs. */
  readonly grant: GuestGrant;
  readonly log: (level: 'debug' | 'info' | 'warn' | 'error', parts: readonly unknown[]) => void;
  /** Turns any value of the plugin into JSON text, under the guest's budgets. */
  readonly serialize: (value: unknown) => string;
  /** An area of the plugin's storage. Where storage is not granted, all of it rejects with the denial. */
  readonly storage: (place?: StoragePlace) => StorageClient;
  /** Uses a power of the host by name. Rejects with the denial where it is not granted. */
  readonly usePower: PowerClient['use'];
}

export interface Attached {
  /** What the plugin offers, as JSON text that the format's reader understands. */
  describe(): Promise<string>;
  /** Runs a tool and returns what it returned: still the plugin's own value, promise or not. */
  call(tool: string, input: unknown, call: CallWorld): unknown;
  /** The plugin's hooks. Absent where the dialect has none. */
  readonly hooks?: AttachedHooks;
  /** Tells the plugin of something that happened in its host; may answer. Absent: it hears nothing. */
  event?(name: string, payload: Json, event: EventWorld): unknown;
  /**
   * The grant is now this one: the host gave a permission, or took one away. What is endowed has
   * followed already.
   */
  regrant?(grant: GuestGrant): void;
}

export interface AttachedHooks {
  /** What a context holds for one run besides data. Each of them is hardened. */
  lend(broadcast: (detail: unknown) => void): Readonly<Record<'logger' | 'broadcast', unknown>>;
  /** Runs a hook, and returns what it returned: still the plugin's own value. */
  run(hook: string, context: object): Promise<HookAnswer>;
}

/** In a box of its own: a context that a hook returns may be a thenable. */
export interface HookAnswer {
  readonly returned: unknown;
}

export interface EventWorld {
  /** An `AbortSignal` of the compartment, aborted when the host waits no longer. Made when read. */
  readonly signal: unknown;
  /** Whose doing it was, where the host says. */
  readonly userId: string | undefined;
}

export interface CallWorld {
  /**
   * An `AbortSignal` of the compartment, aborted on cancel and on deadline. Made when it is first
   * read: most tools never look at it.
   */
  readonly signal: unknown;
  /** What the host supplies for this call. */
  readonly context: Json;
  /** Sends on what the tool writes while it runs; absent where nobody listens. */
  readonly output: ((text: string) => void) | undefined;
  /** The surface that the tool is, where the format told of one. */
  readonly surface: string | undefined;
}
