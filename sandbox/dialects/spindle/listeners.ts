import type { DialectWorld } from '../dialect.js';
import { callUnawaited, demandCallback, makeCallbacks, type Callbacks } from './callbacks.js';

/** Handlers of what a host tells an extension, by kind; nobody waits for any of them. */
export interface Listeners {
  /** Makes the member of `spindle` that adds a handler of a kind; it returns how to take it out. */
  adder(kind: string, member: string): (handler: unknown) => () => void;
  call(kind: string, args: readonly unknown[]): void;
}

export function makeListeners(world: DialectWorld): Listeners {
  const byKind = new Map<string, Callbacks>();
  const of = (kind: string): Callbacks => {
    const found = byKind.get(kind) ?? makeCallbacks();
    byKind.set(kind, found);
    return found;
  };
  return {
    adder: (kind, member) => (handler) => of(kind).add(demandCallback(handler, member)),
    call: (kind, args) => {
      for (const callback of byKind.get(kind)?.list() ?? []) callUnawaited(world, callback, args);
    },
  };
}
