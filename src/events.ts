import type { Json } from '../sandbox/wire/messages.js';
import type { ApprovalEvent } from './approval-events.js';
import type { ErrorCode } from './errors.js';
import type { PermissionName, Permissions } from './permissions/kind.js';
import type { RiskBand } from './plugin/risk.js';

/**
 * Everything that can happen, as one union. Events are told after the fact, in order, and hold no
 * live objects: whoever listens can observe and cannot steer. `atMs` is the host's clock.
 */
export type BulkheadEvent = { readonly atMs: number } & (
  | { readonly type: 'plugin-found'; readonly plugin: string; readonly directory: string }
  | {
      readonly type: 'plugin-refused';
      readonly directory: string;
      readonly plugin?: string;
      readonly code: ErrorCode;
      readonly message: string;
    }
  | {
      readonly type: 'plugin-loaded';
      readonly plugin: string;
      readonly entry: string;
      readonly bundle: string;
      readonly durationMs: number;
    }
  | {
      /** An entry was given permissions: when it is installed, and whenever they change. */
      readonly type: 'permissions-granted';
      readonly plugin: string;
      readonly entry: string;
      readonly version?: string;
      /** Hash of the bundle that holds them. */
      readonly bundle: string;
      readonly confinement: 'compartment' | 'host';
      readonly declared: Permissions;
      readonly granted: Permissions;
    }
  | {
      readonly type: 'guest-started';
      readonly plugin: string;
      readonly pid: number;
    }
  | {
      readonly type: 'guest-ended';
      readonly plugin: string;
      readonly pid: number;
      readonly cause: GuestEndCause;
      readonly detail: string;
    }
  | {
      readonly type: 'call-started';
      readonly call: string;
      readonly plugin: string;
      readonly tool: string;
      /** Hash of the bundle that runs. */
      readonly bundle: string;
      readonly risk: RiskBand;
      /** The input as it crosses, JSON. It may hold what nobody else is to see. */
      readonly input: string;
    }
  | {
      readonly type: 'call-ended';
      readonly call: string;
      readonly plugin: string;
      readonly tool: string;
      readonly outcome: 'ok' | 'error';
      readonly code?: ErrorCode;
      /** The plugin's own lines for what it threw. For the host's log, never for a model. */
      readonly stack?: string;
      readonly durationMs: number;
    }
  | ApprovalEvent
  | {
      /** A tool that declares that it only reads sent a request that changes something. */
      readonly type: 'effect-unannounced';
      readonly plugin: string;
      readonly tool: string;
      readonly call?: string;
      /** The calls that may have sent it, where there were several. */
      readonly among?: readonly string[];
      /** Method, origin and path. */
      readonly effect: string;
    }
  | {
      /** A capability was used, or its use refused, at the broker that holds the power. */
      readonly type: 'capability-used' | 'capability-denied';
      readonly plugin: string;
      readonly permission: PermissionName;
      /** The host and path asked for, the file, the variable. Never a secret's value. */
      readonly wanted: string;
      /** The call that did it, where its guest had no other under way. */
      readonly call?: string;
      /** The calls that may have done it, where there were several. */
      readonly among?: readonly string[];
      /** The plugin's own line, `src/index.ts:14:21`, as its guest told it: a claim of the plugin's. */
      readonly at?: string;
      readonly outcome?: string;
      readonly bytesIn?: number;
      readonly bytesOut?: number;
      readonly durationMs?: number;
    }
  | {
      /**
       * A reference to a secret left a plugin for `host`: with the value in its place, or as it is
       * because it stood where it is not bound. Or the value came back from there, and was taken out.
       */
      readonly type: 'secret-inserted' | 'secret-withheld' | 'secret-scrubbed';
      readonly plugin: string;
      /** The variable's name. */
      readonly secret: string;
      readonly place: 'host' | 'path' | 'query' | 'header' | 'body';
      readonly host: string;
      /** The call that did it, where its guest had no other under way. */
      readonly call?: string;
      /** The calls that may have done it, where there were several. */
      readonly among?: readonly string[];
    }
  | {
      readonly type: 'log';
      readonly plugin: string;
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      /** The plugin's text with control characters escaped. */
      readonly text: string;
    }
  | {
      readonly type: 'alert';
      readonly plugin: string;
      readonly level: 'info' | 'warning';
      readonly message: string;
    }
  | {
      /** A plugin's hook was run. */
      readonly type: 'hook-ended';
      readonly plugin: string;
      readonly hook: string;
      readonly outcome: 'ok' | 'error';
      readonly code?: ErrorCode;
      /** Why nothing of it counts. May hold the plugin's own words. */
      readonly message?: string;
      /** The plugin's own lines for what it threw. For the host's log, never for a model. */
      readonly stack?: string;
      /** The fields of its context that it changed, and those that it wrote in vain. */
      readonly changed: readonly string[];
      readonly dropped: readonly string[];
      /** The tools whose calls it put into a message of the model's. */
      readonly toolUsesAdded: readonly string[];
      readonly durationMs: number;
    }
  | {
      /** What a hook tells whoever watches: who, where and which hook is the engine's own word. */
      readonly type: 'hook-broadcast';
      readonly plugin: string;
      readonly hook: string;
      readonly conversationId?: string;
      /** The plugin's: plain data of at most 16 KiB of JSON. */
      readonly detail: Json;
    }
  | {
      /** A host granted a plugin something while it runs, or took something from it. */
      readonly type: 'permission-changed';
      readonly plugin: string;
      readonly change: 'granted' | 'revoked';
      /** As it was written: a kind (`network`) or one scope of it (`network:api.example.com`). */
      readonly permissions: readonly string[];
      /** What it holds now, entry by entry. */
      readonly effective: Readonly<Record<string, Permissions>>;
    }
  | { readonly type: 'catalog-changed'; readonly tools: number }
  /** So many blank guests wait for a plugin. */
  | { readonly type: 'pool-changed'; readonly blank: number }
  /** So many calls wait for their turn. */
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
  | 'revoked';

export type EventListener = (event: BulkheadEvent) => void;

/** Fans events out. A listener that throws loses that event, and nobody else does. */
export interface EventBus {
  emit(event: WithoutTime<BulkheadEvent>): void;
  /** Whether anybody listens to events of that type: what nobody hears need not be made. */
  hears(type: BulkheadEvent['type']): boolean;
  /** `only`: the types that it is told of. Default: all. */
  on(listener: EventListener, only?: readonly BulkheadEvent['type'][]): () => void;
}

/** The event of that type. */
export type EventOf<Type extends BulkheadEvent['type']> = Narrowed<BulkheadEvent, Type>;

type Narrowed<Event, Type> = Event extends { readonly type: infer Types }
  ? Type extends Types
    ? Event & { readonly type: Type }
    : never
  : never;

export type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'atMs'> : never;

export function makeEventBus(now: () => number): EventBus {
  const listeners = new Map<EventListener, ReadonlySet<string> | undefined>();
  /** Who is told of each type that was asked for since somebody came or went. */
  let byType = new Map<string, readonly EventListener[]>();

  const hearersOf = (type: string): readonly EventListener[] => {
    const known = byType.get(type);
    if (known !== undefined) return known;
    const hearers = [...listeners].flatMap(([listener, only]) =>
      only === undefined || only.has(type) ? [listener] : [],
    );
    byType.set(type, hearers);
    return hearers;
  };

  return {
    hears: (type) => hearersOf(type).length > 0,
    emit: (event) => {
      const hearers = hearersOf(event.type);
      if (hearers.length === 0) return;
      const timed = { atMs: now(), ...event } as BulkheadEvent;
      for (const listener of hearers) {
        try {
          listener(timed);
        } catch {
          // Observers never steer: what one of them throws must not end a call.
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
