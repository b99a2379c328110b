import type { GuestGrant } from '../../../sandbox/wire/methods.js';
import type { Guest } from '../../guests/guest.js';
import { isDoneWithin } from '../../waiting.js';

/**
 * Time for a guest to apply a changed grant. The host's brokers have applied it before. The guest
 * itself enforces only time and randomness.
 */
const REGRANT_MS = 1_000;

/**
 * Sends a guest its grant. If the grant was `narrowed` and the guest does not apply it within
 * `REGRANT_MS`, the guest is killed.
 */
export async function sendGrant(guest: Guest, grant: GuestGrant, narrowed: boolean): Promise<void> {
  if (!guest.alive) return;
  const applied = guest.peer.ask('permissions', { grant }).answer;
  const updated = await isDoneWithin(applied, REGRANT_MS).catch(() => false);
  // guard: unresponsive-guest-killed-on-revocation
  if (updated || !narrowed) return;
  guest.kill({
    cause: 'revoked',
    detail: `it did not apply the revocation within ${REGRANT_MS} ms`,
  });
}
