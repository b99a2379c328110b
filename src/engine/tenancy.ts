import { makeAllowance } from '../guests/allowance.js';
import type { Guest } from '../guests/guest.js';
import { readProcessorUse } from '../guests/processor.js';
import { watchGuest } from '../guests/watch.js';
import type { EntrySpec } from './entry-spec.js';

/**
 * Where an entry's guests come from: each is counted among the engine's, watched for as long as it
 * lives, and charged to the entry's allowance. A trust group does so for all of its plugins. The function throws `QUARANTINED` and `BUSY`.
 */
export function makeTenancy(spec: EntrySpec): () => Guest {
  const { plugin, settings, capacity, quarantine } = spec;
  const { limits } = settings;
  const allowance = makeAllowance(limits);
  const { group } = spec;
  const admit = (guest: Guest): Guest => {
    void guest.ended.then(({ cause }) => quarantine.ended(cause));
    return guest;
  };
  return () => {
    quarantine.admit();
    if (group !== undefined) return admit(group.open());
    capacity.makeRoom(plugin.id);
    const guest = spec.take();
    const watch = watchGuest({
      guest,
      allowance,
      readUse: readProcessorUse,
      background: settings.background.includes(plugin.id),
      canRest: spec.canRest,
      restAfterMs: limits.restAfterMs,
      endAfterMs: limits.endAfterMs,
      now: () => performance.now(),
    });
    capacity.add(guest, watch);
    return admit(guest);
  };
}
