import type { GuestGrant } from '../../../sandbox/wire/methods.js';
import type { Guest } from '../../guests/guest.js';

/**
 * From a change of what a plugin holds until its guest has to have taken it in. The host's own
 * brokers have followed before: this is for the clock and the dice, which are the guest's.
 */
const REGRANT_MS = 1_000;

/** Tells a guest its grant. Where something was `narrowed`, it has so long to follow, and is killed else. */
export async function tellGrant(guest: Guest, grant: GuestGrant, narrowed: boolean): Promise<void> {
  if (!guest.alive) return;
  let timer: NodeJS.Timeout | undefined;
  const told = guest.peer.ask('permissions', { grant }).answer.then(
    () => true,
    () => false,
  );
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), REGRANT_MS);
  });
  const followed = await Promise.race([told, late]);
  clearTimeout(timer);
  if (followed || !narrowed) return;
  guest.kill({
    cause: 'revoked',
    detail: `it did not let go of what was taken from it within ${REGRANT_MS} ms`,
  });
}
