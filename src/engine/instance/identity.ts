import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import { formatNamed } from '../../formats/table.js';
import type { Plugin } from '../../plugin/plugin.js';

/** The plugin as denials name it: its id, and the file that declares its permissions. */
export function identityOf({ id, format, manifest, entries }: Plugin): PluginIdentity {
  if (formatNamed(format).declaresPermissions === true) return { id, manifest };
  const place = `"bulkhead" of ${manifest}`;
  // With the key, a package requests only what the key lists.
  const request = entries.find(({ undeclared }) => undeclared === true)?.declared;
  const kinds = (['time', 'random', 'storage'] as const).filter((kind) => request?.[kind] === true);
  if (kinds.length === 0) return { id, manifest: place };
  const beside = kinds.map((kind) => `"${kind}": true`).join(', ');
  return { id, manifest: `${place}, beside ${beside},` };
}
