import { type Guest, type GuestPowers, startGuest } from './guest.js';
import type { Json } from './wire/messages.js';
import type { ValidatorSource } from './validation.js';
import { makePiece, makePieceReader } from './wire/tenants.js';

/** A guest that several plugins share: a compartment and a wire for each. */
export type SharedGuest = Pick<Guest, 'receive' | 'announce' | 'reportFault' | 'rehearse'>;

/**
 * Serves each tenant as a guest of its own would. What they share is the realm's frozen intrinsics
 * and the process: its memory, its time, its end.
 */
export function startTenants(powers: GuestPowers): SharedGuest {
  let report: Json = null;
  const tenants = new Map<number, Guest>();
  // One validator serves all, and its text is sent to the first.
  const validator: ValidatorSource = { source: '' };

  const open = (tenant: number): void => {
    const guest = startGuest({
      ...powers,
      validator,
      shared: true,
      write: (bytes) => powers.write(makePiece(tenant, bytes, powers.allocate)),
    });
    tenants.set(tenant, guest);
    guest.announce(report);
  };

  return {
    receive: makePieceReader({
      bytes: (tenant, bytes) => tenants.get(tenant)?.receive(bytes),
      turn: (tenant) => {
        const guest = tenants.get(tenant);
        if (guest === undefined) return open(tenant);
        tenants.delete(tenant);
        guest.close();
      },
    }),
    // Before the first tenant: nothing is read from the pipe while the script still runs.
    announce: (found) => {
      report = found;
    },
    rehearse: () => undefined,
    // In a realm that plugins share nobody can say whose it was.
    reportFault: (error) => {
      for (const guest of tenants.values()) guest.reportFault(error);
    },
  };
}
