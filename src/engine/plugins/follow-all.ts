import type { Grants } from '../grants/grants.js';
import type { Installed } from './installed.js';

/** What was changed while plugins were being read holds for them as well. */
export function followAll(installed: readonly Installed[], grants: Grants): void {
  for (const { plugin, entries } of installed) {
    for (const { entry, effective, running } of entries) {
      const grant = grants.of(plugin, entry);
      const { permissions } = grant;
      const same =
        permissions === effective || JSON.stringify(permissions) === JSON.stringify(effective);
      if (!same) void running?.follow(grant);
    }
  }
}
