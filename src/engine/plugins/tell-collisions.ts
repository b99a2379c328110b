import type { Collision } from '../../catalog/precedence.js';
import type { EventBus } from '../../events.js';
import type { Installed } from './installed.js';

/** Tells each collision of names once, for as long as it lasts. */
export function makeCollisionTeller(
  events: EventBus,
): (collisions: readonly Collision[], installed: readonly Installed[]) => void {
  let told: ReadonlySet<string> = new Set();
  return (collisions, installed) => {
    for (const { plugin, message } of collisions) {
      const directory = installed.find((one) => one.plugin.id === plugin)?.plugin.directory;
      if (told.has(message) || directory === undefined) continue;
      events.emit({ type: 'plugin-refused', plugin, directory, code: 'NAME_COLLISION', message });
    }
    told = new Set(collisions.map(({ message }) => message));
  };
}
