import { makeMountUse } from '../../brokers/filesystem/mount-use.js';
import type { Grant } from '../../permissions/grant.js';
import { parseScope } from '../../permissions/filesystem.js';
import { openScratchMounts } from '../node/scratch-mounts.js';
import { openScratch, openScratchStores, type Scratch } from '../node/scratch-stores.js';
import { storageLimitsOf } from '../types/limits.js';
import type { DryRunMode } from './dry-run-mode.js';
import type { EngineServices, InstanceSpec } from './instance.js';

/**
 * How to open an entry for a dry run: with copies of its storage and of its writable mounts, so that it
 * reads what it wrote.
 */
export async function dryRunOf(
  spec: InstanceSpec,
  grant: Grant,
  mode: DryRunMode,
): Promise<{ readonly spec: InstanceSpec; readonly remove?: () => void }> {
  const { placement } = spec;
  const { storage, fs } = grant.permissions;
  const hasMounts = fs.some((scope) => parseScope(scope).isWritable);
  if (!storage && !hasMounts) {
    const alone = { ...placement, mode: mode(() => false), group: undefined };
    return { spec: { ...spec, grant, placement: alone } };
  }
  const scratch = openScratch(spec.services.settings.storageDirectory);
  try {
    const { services, isCopied } = await copied(spec, grant, scratch);
    const separate = { ...placement, mode: mode(isCopied), group: undefined };
    return { spec: { ...spec, grant, services, placement: separate }, remove: scratch.remove };
  } catch (error) {
    scratch.remove();
    throw error;
  }
}

async function copied(
  { plugin, services, tenant }: InstanceSpec,
  { permissions }: Grant,
  scratch: Scratch,
): Promise<{ services: EngineServices; isCopied: (path: string) => boolean }> {
  const { settings, stores } = services;
  const { storageDirectory } = settings;
  const mounts = await openScratchMounts({
    directory: scratch.subdirectory('mounts'),
    storageDirectory,
    granted: permissions.fs,
  });
  const own = permissions.storage
    ? await openScratchStores({
        directory: scratch.subdirectory('storage'),
        storageDirectory,
        stores,
        limits: storageLimitsOf(settings.limits),
        plugin: plugin.id,
        tenant: tenant?.id,
      })
    : stores;
  return {
    // Files that it writes are not the plugin's.
    services: {
      ...services,
      // guard: dry-run-storage-copied
      stores: own,
      mountPlaces: mounts,
      mountUse: makeMountUse,
      written: () => undefined,
    },
    isCopied: mounts.has,
  };
}
