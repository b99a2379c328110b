import type { LoadParams } from '../../../sandbox/wire/methods.js';
import type { Peer } from '../../../sandbox/wire/peer.js';
import type { Service } from '../../../sandbox/wire/service.js';
import { BulkheadError } from '../../errors.js';
import { endError, GuestEnded } from '../../guests/end.js';
import type { Guest } from '../../guests/guest.js';
import { startLoadDeadline } from '../../guests/load-deadline.js';
import type { ValidatorDelivery } from './guest-source.js';

/** Turns a standby guest into one of the entry's guests. */
export interface GuestPreparation {
  /** Called for each guest, because variables are read when a guest loads. */
  readonly load: () => LoadParams;
  readonly service: (peer: Peer) => Service;
  readonly validator: ValidatorDelivery;
  /** Runs first in a loaded guest. If it rejects, the guest is killed. */
  readonly begin?: ((guest: Guest) => Promise<void>) | undefined;
}

export interface LoadSpec {
  readonly plugin: string;
  readonly load: () => LoadParams;
  /**
   * Called right after the load request is sent, so that further messages leave in the same write.
   */
  readonly onAsked?: (params: LoadParams) => void;
  readonly loadTimeoutMs: number;
}

/** Loads a plugin into a standby guest. Kills the guest if that fails or takes too long. */
export async function loadWithin(guest: Guest, spec: LoadSpec): Promise<void> {
  const { plugin, loadTimeoutMs } = spec;
  const cancelDeadline = startLoadDeadline(guest, loadTimeoutMs, () => {
    // guard: load-timeout-kills
    guest.kill({ cause: 'deadline', detail: `its code was not loaded after ${loadTimeoutMs} ms` });
  });
  try {
    const params = spec.load();
    const { answer } = guest.peer.ask('load', params);
    spec.onAsked?.(params);
    await answer;
  } catch (error) {
    if (!(error instanceof GuestEnded)) {
      // Code that threw at load would throw again at every call.
      guest.kill({ cause: 'replaced', detail: 'its plugin could not be loaded' });
      throw error;
    }
    if (error.end.cause === 'deadline') throw loadTimedOut(plugin, loadTimeoutMs);
    throw endError(plugin, error.end);
  } finally {
    cancelDeadline();
  }
}

function loadTimedOut(plugin: string, deadlineMs: number): BulkheadError {
  return new BulkheadError(
    'DEADLINE_EXCEEDED',
    `The code of ${plugin} was not loaded after ${deadlineMs} ms (limits.loadTimeoutMs), and was killed. To fix this: look for a top-level \`await\` that does not settle, or for long work at the top level of its modules, and move it into the tool.`,
    { deadlineMs },
  );
}
