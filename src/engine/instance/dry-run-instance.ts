import type { Grant } from '../../permissions/grant.js';
import { openScratchStores } from '../node/scratch-stores.js';
import { storageLimitsOf } from '../types/limits.js';
import type { InstanceSpec } from './instance.js';
import type { RequestModeFactory } from './request-mode.js';

/** How to open an entry for a dry run: with a copy of its storage, so that it reads what it wrote. */
export async function dryRunOf(
  spec: InstanceSpec,
  grant: Grant,
  mode: RequestModeFactory,
): Promise<{ readonly spec: InstanceSpec; readonly remove?: () => void }> {
  const { plugin, services, tenant } = spec;
  const placement = { ...spec.placement, mode, group: undefined };
  const separate = { ...spec, grant, placement };
  if (!grant.permissions.storage) return { spec: separate };
  const { settings, stores } = services;
  const scratch = await openScratchStores({
    storageDirectory: settings.storageDirectory,
    stores,
    limits: storageLimitsOf(settings.limits),
    plugin: plugin.id,
    tenant: tenant?.id,
  });
  // Files that it writes are not the plugin's.
  const own = {
    ...services,
    // guard: dry-run-storage-copied
    stores: scratch.stores,
    written: () => undefined,
  };
  return { spec: { ...separate, services: own }, remove: scratch.remove };
}
