import type { JsonObject } from '../../sandbox/wire/messages.js';

/** What a Spindle extension has registered besides tools: checked, capped, plain. */
export interface Registrations {
  /** Names of events that it has handlers for. */
  readonly events: readonly string[];
  /** Its handlers of generations on their way, by kind: `interceptor`, `contextHandler` … */
  readonly hooks: Readonly<Record<string, RegisteredHook>>;
  /** Each with the name in lower case. */
  readonly macros: readonly RegisteredMacro[];
  /** Its endpoints of the shared RPC pool, with the permissions that each requires of who asks. */
  readonly endpoints: readonly {
    readonly endpoint: string;
    readonly requires: readonly string[];
  }[];
  /** As the extension wrote them: hostile data for whoever shows them. */
  readonly commands: readonly JsonObject[];
  readonly providers: readonly { readonly kind: string; readonly id: string }[];
}

export interface RegisteredHook {
  /** Lower runs first. */
  readonly priority: number;
  /** What the extension asks for; the host has its own bounds. */
  readonly timeoutMs?: number;
}

export interface RegisteredMacro {
  readonly name: string;
  readonly category?: string;
  readonly description?: string;
}
