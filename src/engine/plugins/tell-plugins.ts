import type { EventBus, EventOf, WithoutTime } from '../../events.js';
import type { DiscoveryProblem } from '../../formats/discover.js';
import type { Plugin } from '../../plugin/plugin.js';
import type { Installed, InstalledEntry } from './installed.js';

/** Tells listeners of plugins that were read, or could not be. */
export function tellPlugins(
  installed: readonly Installed[],
  problems: readonly DiscoveryProblem[],
  events: EventBus,
): void {
  for (const { directory, error } of problems) {
    events.emit({ type: 'plugin-refused', directory, code: error.code, message: error.message });
  }
  for (const { plugin, problems: own, entries } of installed) {
    const { id, directory } = plugin;
    events.emit({ type: 'plugin-found', plugin: id, directory });
    for (const { code, message } of [...own, ...entries.flatMap((entry) => entry.problems)]) {
      events.emit({ type: 'plugin-refused', plugin: id, directory, code, message });
    }
    for (const entry of entries) {
      if (entry.rooms.length > 0) events.emit(grantOf(plugin, entry));
    }
    for (const { level, message } of entries.flatMap(({ offer }) => offer?.alerts ?? [])) {
      events.emit({ type: 'alert', plugin: id, level, message });
    }
  }
}

/** What an entry that runs was given. */
export function grantOf(
  { id, version }: Plugin,
  { entry, effective, rooms }: InstalledEntry,
): WithoutTime<EventOf<'permissions-granted'>> {
  return {
    type: 'permissions-granted',
    plugin: id,
    entry: entry.key,
    ...(version === undefined ? {} : { version }),
    bundle: rooms[0]?.bundle.hash ?? '',
    confinement: entry.confinement,
    declared: entry.declared,
    granted: effective,
  };
}
