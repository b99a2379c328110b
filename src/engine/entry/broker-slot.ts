import type { PermissionName, Permissions } from '../../permissions/kind.js';
import { scopesOf } from '../../permissions/permissions.js';
import { scopeTexts } from '../../permissions/table.js';

/** What a slot needs of a broker. */
export interface Closable {
  /** Ends what is under way and refuses everything that comes later. */
  close(): unknown;
}

/** The broker of one kind of permission: there while something of the kind is granted. */
export interface BrokerSlot<Broker extends Closable> {
  readonly current: Broker | undefined;
  /** The grant has changed. Takes effect before it returns. */
  follow(before: Permissions, after: Permissions): void;
  close(): Promise<void>;
}

export interface SlotSpec<Broker extends Closable> {
  readonly kind: PermissionName;
  readonly open: () => Broker;
  /**
   * Lets a broker whose scopes have changed go on, without what was taken away. Absent: it is closed
   * and another one opened.
   */
  readonly follow?: (broker: Broker, scopes: readonly string[], narrowed: boolean) => void;
}

/** Opens the broker if the kind is granted, and keeps it in step with the grant from then on. */
export function openSlot<Broker extends Closable>(
  { kind, open, follow }: SlotSpec<Broker>,
  granted: Permissions,
): BrokerSlot<Broker> {
  let current = scopesOf(granted, kind).length === 0 ? undefined : open();
  const closing: unknown[] = [];
  const shut = (): void => {
    closing.push(current?.close());
    current = undefined;
  };

  return {
    get current() {
      return current;
    },
    follow: (before, after) => {
      const scopes = scopesOf(after, kind);
      const narrowed = scopeTexts[kind].beyond(scopes, scopesOf(before, kind)).length > 0;
      if (scopes.length === 0) shut();
      else if (current === undefined) current = open();
      else if (follow !== undefined) follow(current, scopes, narrowed);
      else if (narrowed || scopes.length !== scopesOf(before, kind).length) {
        shut();
        current = open();
      }
    },
    close: async () => {
      shut();
      await Promise.all(closing);
    },
  };
}
