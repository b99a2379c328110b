import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import { formatNamed } from '../../formats/table.js';
import type { Plugin } from '../../plugin/plugin.js';

/** The plugin as denials name it: its id, and the file that declares its permissions. */
export function identityOf({ id, format, manifest }: Plugin): PluginIdentity {
  const declares = formatNamed(format).declaresPermissions === true;
  return { id, manifest: declares ? manifest : `"bulkhead" of ${manifest}` };
}
