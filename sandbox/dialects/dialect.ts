import type { Json } from '../wire/messages.js';
import type { GuestGrant } from '../wire/methods.js';

/**
 * The world that plugin code written for one system expects, and how that system's plugins are
 * asked and called. Everything here runs in the guest; `exports` and whatever it leads to is the
 * plugin's, so every use of it may run the plugin's code, throw, or never settle.
 */
export interface Dialect {
  attach(exports: Readonly<Record<string, unknown>>, world: DialectWorld): Attached;
}

export interface DialectWorld {
  readonly config: Json;
  /** The granted variables, as they are now. */
  readonly environment: Readonly<Record<string, string>>;
  /** What the plugin holds now: a host may change it while the plugin runs. */
  readonly grant: GuestGrant;
  readonly log: (level: 'debug' | 'info' | 'warn' | 'error', parts: readonly unknown[]) => void;
  /** Turns any value of the plugin into JSON text, under the guest's budgets. */
  readonly serialize: (value: unknown) => string;
}

export interface Attached {
  /** What the plugin offers, as JSON text that the format's reader understands. */
  describe(): Promise<string>;
  /** Runs a tool and returns what it returned: still the plugin's own value, promise or not. */
  call(tool: string, input: unknown, call: CallWorld): unknown;
  /** `world.grant` has changed. Its endowments follow by themselves, and have done so already. */
  granted?(before: GuestGrant): void;
}

export interface CallWorld {
  /**
   * An `AbortSignal` of the compartment, aborted on cancel and on deadline. Made when it is first
   * read: most tools never look at it.
   */
  readonly signal: unknown;
  /** What the host supplies for this call. */
  readonly context: Json;
}
