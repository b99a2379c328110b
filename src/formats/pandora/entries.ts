import { NO_PERMISSIONS } from '../../permissions/permissions.js';
import type { PluginEntry } from '../../plugin/plugin.js';
import { readEntryPath } from './entry-path.js';
import type { PandoraManifest } from './manifest.js';
import { readPandoraPermissions } from './permissions.js';

/**
 * The entries of a manifest. Where a surface has several all of them count (the original keeps only
 * the last one's tools), each with permissions of its own. Throws `OUTSIDE_PLUGIN`.
 */
export function readEntries(provides: PandoraManifest['provides']): {
  readonly entries: readonly PluginEntry[];
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const entries: PluginEntry[] = [];
  for (const surface of ['tools', 'channels'] as const) {
    const all = provides[surface] ?? [];
    if (all.length > MAX_ENTRIES) {
      problems.push(`provides.${surface}: those after ${MAX_ENTRIES} are left out`);
    }
    all.slice(0, MAX_ENTRIES).forEach((written, index) => {
      const at = placeOf(surface, index, all.length);
      const declared = readPandoraPermissions(written.permissions, `${at}.permissions`);
      problems.push(...declared.problems);
      entries.push({
        key: keyOf(surface, index),
        surface,
        file: readEntryPath(written.entry, `${at}.entry`),
        dialect: 'pandora',
        confinement: written.sandbox ?? 'compartment',
        declared: declared.permissions,
        requireApproval: written.requireApproval ?? false,
      });
    });
  }
  provides.agents?.forEach((written, index, all) => {
    entries.push({
      key: keyOf('agents', index),
      surface: 'agents',
      file: readEntryPath(written.entry, `${placeOf('agents', index, all.length)}.entry`),
      dialect: 'pandora',
      // The original loads agents with the full power of its process. They are data.
      confinement: 'compartment',
      declared: NO_PERMISSIONS,
      requireApproval: false,
      agent: { useTools: written.useTools ?? [], modelTools: written.modelTools ?? [] },
    });
  });
  return { entries, problems };
}

/** Entries of one surface. Each is a guest of its own: a manifest could else start thousands. */
const MAX_ENTRIES = 16;

function keyOf(surface: PluginEntry['surface'], index: number): string {
  return index === 0 ? surface : `${surface}.${index}`;
}

/** As the author wrote it: an index only where there is a list of several. */
function placeOf(surface: PluginEntry['surface'], index: number, count: number): string {
  return count === 1 ? `provides.${surface}` : `provides.${surface}[${index}]`;
}
