import type { Guest } from '../../guests/guest.js';

/** Brings guests the schema validator: a text of some size, so each gets it once, and each realm. */
export interface ValidatorCourier {
  /**
   * To a blank guest: it evaluates the validator, and readies itself, while nobody waits. Resolves when
   * that is done, or will never be.
   */
  ahead(guest: Guest): Promise<void>;
  /** To a guest that will have schemas to check by it. Sent before whatever is sent next. */
  deliver(guest: Guest): void;
}

export function makeValidatorCourier(source: string): ValidatorCourier {
  const had = new WeakSet<Guest>();
  const realms = new WeakSet<object>();
  const send = async (guest: Guest, ahead: boolean): Promise<void> => {
    if (had.has(guest)) return;
    had.add(guest);
    // A guest that ends before it answers is told to whoever calls it.
    const text = realms.has(guest.realm) ? '' : source;
    realms.add(guest.realm);
    await guest.peer.ask('validator', { source: text, ahead }).answer.catch(() => {});
  };
  return {
    ahead: (guest) => send(guest, true),
    deliver: (guest) => void send(guest, false),
  };
}
