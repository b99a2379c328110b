import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import { unionOfRequests } from '../../permissions/choice.js';
import { formatNamed } from '../../formats/table.js';
import type { Plugin } from '../../plugin/plugin.js';

/** The plugin as denials name it: its id, and the file that declares its permissions. */
export function identityOf({ id, format, manifest, entries }: Plugin): PluginIdentity {
  if (formatNamed(format).declaresPermissions === true) return { id, manifest };
  const { undeclared } = unionOfRequests(entries);
  const place = `"bulkhead" of ${manifest}`;
  // With the key, a package requests only what the key lists.
  const request = entries.find((entry) => entry.undeclared === true)?.declared;
  const kinds = (['time', 'random', 'storage'] as const).filter((kind) => request?.[kind] === true);
  if (kinds.length === 0) return { id, manifest: place, undeclared };
  const beside = kinds.map((kind) => `"${kind}": true`).join(', ');
  return { id, manifest: `${place}, beside ${beside},`, undeclared };
}
