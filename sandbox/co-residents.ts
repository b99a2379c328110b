import { type Guest, type GuestCapabilities, startGuest } from './guest.js';
import type { Json } from './wire/messages.js';
import type { ValidatorSource } from './validation.js';
import { makePiece, makePieceReader } from './wire/co-residents.js';

/** A guest that several plugins share: a compartment and a wire for each plugin. */
export type SharedGuest = Pick<Guest, 'receive' | 'announce' | 'reportFault' | 'warmUp'>;

/**
 * Serves each co-resident by its number. Co-residents share the realm's frozen intrinsics and the
 * process.
 */
export function startCoResidents(capabilities: GuestCapabilities): SharedGuest {
  let report: Json = null;
  const guests = new Map<number, Guest>();
  // All co-residents share one validator. The host sends its source for the first one.
  const validator: ValidatorSource = { source: '' };

  const open = (number: number): void => {
    const guest = startGuest({
      ...capabilities,
      validator,
      shared: true,
      number,
      write: (bytes) => capabilities.write(makePiece(number, bytes, capabilities.allocate)),
    });
    guests.set(number, guest);
    guest.announce(report);
  };

  return {
    receive: makePieceReader({
      bytes: (number, bytes) => guests.get(number)?.receive(bytes),
      empty: (number) => {
        const guest = guests.get(number);
        if (guest === undefined) return open(number);
        guests.delete(number);
        guest.close();
      },
    }),
    // Called before the first co-resident opens. The guest reads the pipe after its script has run.
    announce: (found) => {
      report = found;
    },
    warmUp: () => undefined,
    // In a shared realm the guest cannot determine which plugin caused a fault.
    reportFault: (error) => {
      for (const guest of guests.values()) guest.reportFault(error);
    },
  };
}
