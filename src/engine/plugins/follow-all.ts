import type { Grants } from '../grants/grants.js';
import type { Installed } from './installed.js';

/**
 * What was changed while plugins were being read holds for them as well. Those that were there
 * before have followed it as it was changed.
 */
export function followAll(
  installed: readonly Installed[],
  before: readonly Installed[],
  grants: Grants,
): void {
  const followed = new Set(before.map(({ entries }) => entries));
  for (const { plugin, entries } of installed) {
    if (followed.has(entries)) continue;
    for (const { entry, effective, running } of entries) {
      const grant = grants.of(plugin, entry);
      const { permissions } = grant;
      const same =
        permissions === effective || JSON.stringify(permissions) === JSON.stringify(effective);
      if (!same) void running?.follow(grant);
    }
  }
}
