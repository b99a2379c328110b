import type { Json } from '../sandbox/wire/messages.js';
import type { ApprovalEvent } from './approval-events.js';
import type { ErrorCode } from './errors.js';
import type { PermissionName, Permissions } from './permissions/kind.js';
import type { RiskBand } from './plugin/risk.js';

/**
 * All events of an engine. The engine emits an event after the fact and in order. Events contain only
 * data, so a listener cannot influence the engine. `atMs` is the host's clock, in milliseconds since
 * the epoch.
 */
export type BulkheadEvent = { readonly atMs: number } & (
  | {
      /** A plugin was found and read. */
      readonly type: 'plugin-found';
      readonly plugin: string;
      readonly directory: string;
    }
  | {
      /** A plugin cannot be used; `message` is the reason. */
      readonly type: 'plugin-refused';
      readonly directory: string;
      readonly plugin?: string;
      readonly code: ErrorCode;
      readonly message: string;
    }
  | {
      /**
       * A change on disk could not be loaded. With `plugin`: its previous version runs on. Without:
       * the whole reload failed, and nothing changed.
       */
      readonly type: 'reload-failed';
      readonly plugin?: string;
      readonly code: ErrorCode;
      readonly message: string;
    }
  | {
      /** An entry of a plugin was loaded into a guest. */
      readonly type: 'plugin-loaded';
      readonly plugin: string;
      readonly entry: string;
      /** sha512 of the accepted artifact, or without a lock file of the loaded code. */
      readonly bundle: string;
      readonly durationMs: number;
    }
  | {
      /** The permissions of an entry were set. Emitted at installation and after each change. */
      readonly type: 'permissions-granted';
      readonly plugin: string;
      readonly entry: string;
      readonly version?: string;
      /** sha512 of the accepted artifact, or without a lock file of the code that has the permissions. */
      readonly bundle: string;
      readonly confinement: 'compartment' | 'host';
      readonly declared: Permissions;
      readonly granted: Permissions;
    }
  | {
      /** A guest process started for a plugin. */
      readonly type: 'guest-started';
      readonly plugin: string;
      readonly pid: number;
    }
  | {
      /** A guest process of a plugin ended. */
      readonly type: 'guest-ended';
      readonly plugin: string;
      readonly pid: number;
      readonly cause: GuestEndCause;
      readonly detail: string;
    }
  | {
      /** A call was admitted and starts. */
      readonly type: 'call-started';
      readonly call: string;
      readonly plugin: string;
      readonly tool: string;
      /** sha512 of the accepted artifact, or without a lock file of the code that runs. */
      readonly bundle: string;
      readonly risk: RiskBand;
      /** The input as JSON text. It may contain confidential data. */
      readonly input: string;
      /** The program that made the call, or the call that runs the program. */
      readonly parent?: string;
      /** The tenant for whom it runs. */
      readonly tenant?: string;
      /** `dry-run`: what it would send is held back, and what it changes is a copy. Absent: it runs in earnest. */
      readonly mode?: 'dry-run';
    }
  | {
      /** A call that had started ended. */
      readonly type: 'call-ended';
      readonly call: string;
      readonly plugin: string;
      readonly tool: string;
      readonly outcome: 'ok' | 'error';
      readonly code?: ErrorCode;
      /** The stack of the plugin's error. For the host's log, never for a model. */
      readonly stack?: string;
      /** Why it failed, in the engine's words, if its plugin system has other words for a model. */
      readonly why?: string;
      readonly durationMs: number;
    }
  | {
      /** What the caller got from a call that had started. Only for listeners that name this type. */
      readonly type: 'call-answered';
      readonly call: string;
      readonly plugin: string;
      readonly tool: string;
      /** JSON text: the return value, or without one the content. */
      readonly answer: string;
    }
  | {
      /**
       * A call was recorded, by its option `record` or by the engine's. Only for listeners that name
       * this type.
       */
      readonly type: 'call-recorded';
      readonly call: string;
      readonly plugin: string;
      readonly tool: string;
      /** JSON text of a `CallRecording`, for `engine.replay`. Protect it like the secrets in it. */
      readonly recording: string;
    }
  | {
      /** A call runs a second time: its first guest was killed because of another call. */
      readonly type: 'call-rerun';
      readonly call: string;
      readonly plugin: string;
      readonly tool: string;
      /** Why the first guest was killed. */
      readonly reason: string;
    }
  | {
      /**
       * A guest ended whose plugin keeps state in memory: it registers at run time, has hooks, or
       * works in the background. The next guest starts without that state.
       */
      readonly type: 'state-lost';
      readonly plugin: string;
      readonly entry: string;
      readonly cause: GuestEndCause;
      readonly detail: string;
    }
  | ApprovalEvent
  | {
      /** A tool that declares itself read-only sent a request with an effect. */
      readonly type: 'effect-undeclared';
      readonly plugin: string;
      readonly tool: string;
      readonly call?: string;
      /** The candidate calls, if several were running. */
      readonly among?: readonly string[];
      /** Method, origin and path. */
      readonly effect: string;
    }
  | {
      /** A broker allowed or denied the use of a permission. */
      readonly type: 'capability-used' | 'capability-denied';
      readonly plugin: string;
      /** `builtin`: a module or function that no permission allows. */
      readonly permission: PermissionName | 'builtin';
      /** The requested host and path, file or variable. Never the value of a secret. */
      readonly wanted: string;
      /** The responsible call, if it was the only running call of its guest. */
      readonly call?: string;
      /** The candidate calls, if several were running. */
      readonly among?: readonly string[];
      /** The position in the plugin's source, e.g. `src/index.ts:14:21`. Unverified: from the guest. */
      readonly at?: string;
      /** The npm package, by its directory in the plugin. Unverified: from the guest. */
      readonly package?: string;
      readonly outcome?: string;
      readonly bytesIn?: number;
      readonly bytesOut?: number;
      readonly durationMs?: number;
    }
  | {
      /**
       * A plugin sent a reference to a secret to `host`. `inserted`: the broker replaced it with the
       * value. `withheld`: the secret is not bound to this place, so the reference was sent unchanged.
       * `scrubbed`: the value was removed from the host's response.
       */
      readonly type: 'secret-inserted' | 'secret-withheld' | 'secret-scrubbed';
      readonly plugin: string;
      /** Name of the environment variable. */
      readonly secret: string;
      readonly place: 'host' | 'path' | 'query' | 'header' | 'body';
      readonly host: string;
      /** The responsible call, if it was the only running call of its guest. */
      readonly call?: string;
      /** The candidate calls, if several were running. */
      readonly among?: readonly string[];
    }
  | {
      /** A plugin logged a message. */
      readonly type: 'log';
      readonly plugin: string;
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      /** The plugin's text with control characters escaped. */
      readonly text: string;
    }
  | {
      /** A plugin reported an alert for the operator. */
      readonly type: 'alert';
      readonly plugin: string;
      readonly level: 'info' | 'warning';
      readonly message: string;
    }
  | {
      /** A hook of a plugin ended. */
      readonly type: 'hook-ended';
      readonly plugin: string;
      readonly hook: string;
      readonly outcome: 'ok' | 'error';
      readonly code?: ErrorCode;
      /** Why the hook's changes were discarded. May contain text from the plugin. */
      readonly message?: string;
      /** The stack of the plugin's error. For the host's log, never for a model. */
      readonly stack?: string;
      /** Context fields that the hook changed. */
      readonly changed: readonly string[];
      /** Context fields that the hook wrote but may not change. */
      readonly dropped: readonly string[];
      /** Names of the tools whose calls the hook added to a model's message. */
      readonly toolUsesAdded: readonly string[];
      readonly durationMs: number;
    }
  | {
      /** A hook broadcast a message. `plugin`, `hook` and `conversationId` come from the engine. */
      readonly type: 'hook-broadcast';
      readonly plugin: string;
      readonly hook: string;
      readonly conversationId?: string;
      /** Untrusted data from the plugin: at most 16 KiB of JSON. */
      readonly detail: Json;
    }
  | {
      /**
       * The operator stopped everything, a plugin or a tenant, or removed such a stop. Emitted by each engine
       * that applies it, and for each stop that holds when an engine opens.
       */
      readonly type: 'work-stopped' | 'work-resumed';
      readonly stopped: 'everything' | 'plugin' | 'tenant';
      readonly plugin?: string;
      readonly tenant?: string;
      /** Who stopped or resumed it. Absent if another process did, and did not leave its name. */
      readonly by?: string;
      readonly reason?: string;
    }
  | {
      /** The host granted permissions to a plugin, or revoked them, at run time. */
      readonly type: 'permission-changed';
      readonly plugin: string;
      readonly change: 'granted' | 'revoked';
      /** As the host wrote them: a kind (`network`) or one scope (`network:api.example.com`). */
      readonly permissions: readonly string[];
      /** The plugin's permissions after the change, by entry. */
      readonly effective: Readonly<Record<string, Permissions>>;
    }
  /** The catalog changed; it now has this many tools. */
  | { readonly type: 'catalog-changed'; readonly tools: number }
  /** The number of standby guests in the pool changed. */
  | { readonly type: 'pool-changed'; readonly standby: number }
  /** The number of queued calls changed. */
  | { readonly type: 'queue-changed'; readonly calls: number }
);

export type GuestEndCause =
  | 'closed'
  | 'start'
  | 'idle'
  | 'deadline'
  | 'crash'
  | 'memory'
  | 'cpu'
  | 'protocol'
  | 'replaced'
  | 'revoked'
  | 'stopped';

export type EventListener = (event: BulkheadEvent) => void;

/** Delivers events to listeners. If a listener throws, the other listeners still get the event. */
export interface EventBus {
  emit(event: WithoutTime<BulkheadEvent>): void;
  /** Whether any listener receives this type. If not, the event need not be built. */
  hasListener(type: BulkheadEvent['type']): boolean;
  /**
   * Adds a listener; the result removes it. `only`: the types to deliver. Default: all but those with
   * the content of calls.
   */
  on(listener: EventListener, only?: readonly BulkheadEvent['type'][]): () => void;
}

export type EventOf<Type extends BulkheadEvent['type']> = Narrowed<BulkheadEvent, Type>;

type Narrowed<Event, Type> = Event extends { readonly type: infer Types }
  ? Type extends Types
    ? Event & { readonly type: Type }
    : never
  : never;

export type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'atMs'> : never;

/** They have the content of calls: a listener gets it only if it names the type. */
const NAMED_ONLY: ReadonlySet<string> = new Set(['call-answered', 'call-recorded']);

export function makeEventBus(now: () => number): EventBus {
  const listeners = new Map<EventListener, ReadonlySet<string> | undefined>();
  /** Cached listeners by event type. Reset when a listener is added or removed. */
  let byType = new Map<string, readonly EventListener[]>();

  const listenersOf = (type: string): readonly EventListener[] => {
    const known = byType.get(type);
    if (known !== undefined) return known;
    const matching = [...listeners].flatMap(([listener, only]) =>
      (only === undefined ? !NAMED_ONLY.has(type) : only.has(type)) ? [listener] : [],
    );
    byType.set(type, matching);
    return matching;
  };

  return {
    hasListener: (type) => listenersOf(type).length > 0,
    emit: (event) => {
      const matching = listenersOf(event.type);
      if (matching.length === 0) return;
      const timed = { atMs: now(), ...event } as BulkheadEvent;
      for (const listener of matching) {
        try {
          listener(timed);
        } catch {
          // A listener's error must not end a call.
        }
      }
    },
    on: (listener, only) => {
      listeners.set(listener, only && new Set(only));
      byType = new Map();
      return () => {
        listeners.delete(listener);
        byType = new Map();
      };
    },
  };
}
