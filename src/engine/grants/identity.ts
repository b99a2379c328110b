import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import type { Plugin } from '../../plugin/plugin.js';

/** The plugin as denials speak of it: who it is, and where its author asks for permissions. */
export function identityOf({ id, format, manifest }: Plugin): PluginIdentity {
  return { id, manifest: format === 'pandora' ? manifest : `"bulkhead" of ${manifest}` };
}
