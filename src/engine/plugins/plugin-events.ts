import type { Collision } from '../../catalog/precedence.js';
import type { EventBus, EventOf, WithoutTime } from '../../events.js';
import type { DiscoveryProblem } from '../../formats/discover.js';
import { type Plugin, subjectHashOf } from '../../plugin/plugin.js';
import type { InstalledEntry, InstalledPlugin } from './installed.js';

/** Emits an event for each plugin that was read, and for each that could not be read. */
export function emitPluginEvents(
  installed: readonly InstalledPlugin[],
  problems: readonly DiscoveryProblem[],
  events: EventBus,
): void {
  for (const { directory, error } of problems) {
    events.emit({ type: 'plugin-refused', directory, code: error.code, message: error.message });
  }
  for (const { plugin, problems: own, entries, stale } of installed) {
    const { id, directory } = plugin;
    if (stale !== undefined) {
      for (const { code, message } of stale) {
        events.emit({ type: 'reload-failed', plugin: id, code, message });
      }
      continue;
    }
    events.emit({ type: 'plugin-found', plugin: id, directory });
    for (const { code, message } of [...own, ...entries.flatMap((entry) => entry.problems)]) {
      events.emit({ type: 'plugin-refused', plugin: id, directory, code, message });
    }
    for (const entry of entries) {
      if (entry.instances.length > 0) events.emit(grantOf(plugin, entry));
    }
    for (const { level, message } of entries.flatMap(
      ({ contributions }) => contributions?.alerts ?? [],
    )) {
      events.emit({ type: 'alert', plugin: id, level, message });
    }
  }
}

/** The grant of a running entry, as an event. */
export function grantOf(
  { id, version }: Plugin,
  { entry, effective, instances }: InstalledEntry,
): WithoutTime<EventOf<'permissions-granted'>> {
  return {
    type: 'permissions-granted',
    plugin: id,
    entry: entry.key,
    ...(version === undefined ? {} : { version }),
    bundle: instances[0] === undefined ? '' : subjectHashOf(instances[0].bundle),
    confinement: entry.confinement,
    declared: entry.declared,
    granted: effective,
  };
}

/** Emits an event once for each name collision while it lasts. */
export function makeCollisionReporter(
  events: EventBus,
): (collisions: readonly Collision[], installed: readonly InstalledPlugin[]) => void {
  let reported: ReadonlySet<string> = new Set();
  return (collisions, installed) => {
    for (const { plugin, message } of collisions) {
      const directory = installed.find((one) => one.plugin.id === plugin)?.plugin.directory;
      if (reported.has(message) || directory === undefined) continue;
      events.emit({ type: 'plugin-refused', plugin, directory, code: 'NAME_COLLISION', message });
    }
    reported = new Set(collisions.map(({ message }) => message));
  };
}
