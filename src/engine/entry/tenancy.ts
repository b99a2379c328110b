import { makeAllowance } from '../../guests/allowance.js';
import { blankUseOf } from '../../guests/blank-use.js';
import type { Started } from '../../guests/capacity.js';
import type { Guest } from '../../guests/guest.js';
import { readMemory, readProcessorUse } from '../../guests/processor.js';
import { watchGuest } from '../../guests/watch.js';
import type { EntrySpec } from './entry-spec.js';
import type { Wants } from './shared-start.js';

/**
 * Where an entry's guests come from: each is counted among the engine's, watched for as long as it
 * lives, and charged to the entry's allowance. A trust group does so for all of its plugins. The
 * function rejects `QUARANTINED` and `BUSY`, and with the signal's reason.
 */
export function makeTenancy(spec: EntrySpec): (wants: Wants) => Promise<Guest> {
  const { plugin, settings, capacity, quarantine } = spec;
  const { limits } = settings;
  const allowance = makeAllowance(limits);
  const { group } = spec;
  const admit = (guest: Guest): Guest => {
    void guest.ended.then(({ cause }) => quarantine.ended(cause));
    return guest;
  };
  const start = (): Started<Guest> => {
    const guest = spec.take();
    const watch = watchGuest({
      guest,
      allowance,
      usedBlankMs: blankUseOf(guest),
      readUse: readProcessorUse,
      readMemory,
      onWeighed: capacity.relieve,
      background: settings.background.includes(plugin.id),
      canRest: spec.canRest,
      restAfterMs: limits.restAfterMs,
      endAfterMs: limits.endAfterMs,
      now: () => performance.now(),
    });
    return { guest, life: guest, watch };
  };
  return async (wants) => {
    quarantine.admit();
    return admit(
      await (group === undefined ? capacity.start(plugin.id, start, wants) : group.open()),
    );
  };
}
