import type { GuestGrant, PluginIdentity } from '../wire/methods.js';
import { withCode } from './errors.js';

/** A kind of permission, as in grants, endowments and brokers. */
export type PermissionName = keyof GuestGrant;

interface Wording {
  readonly code: string;
  /** The forbidden action. */
  readonly deed: string;
  /** The member of `permissions` that requests it, as in manifests. */
  readonly remedy: string;
}

const wordings: Readonly<Record<PermissionName, Wording>> = {
  time: { code: 'TIME_DENIED', deed: 'read the time', remedy: '"time": true' },
  random: { code: 'RANDOM_DENIED', deed: 'use randomness', remedy: '"random": true' },
  network: {
    code: 'NETWORK_DENIED',
    deed: 'use the network',
    remedy: '"network": ["<host name>"]',
  },
  env: {
    code: 'ENVIRONMENT_DENIED',
    deed: 'read environment variables',
    remedy: '"env": ["<variable name>"]',
  },
  fs: {
    code: 'FILESYSTEM_DENIED',
    deed: 'read files',
    remedy: '"fs": ["<path prefix>"]',
  },
  storage: { code: 'STORAGE_DENIED', deed: 'store files', remedy: '"storage": true' },
  powers: {
    code: 'POWER_DENIED',
    deed: 'use what the host provides',
    remedy: '"powers": ["<name>"]',
  },
};

/**
 * Makes the errors for uses without a grant: what was refused, to which plugin, and the edit that
 * allows it.
 */
export function makeDenial(
  plugin: PluginIdentity,
): (permission: PermissionName, wanted: string) => Error {
  return (permission, wanted) => {
    const { code, deed, remedy } = wordings[permission];
    const message = `${plugin.id} may not ${deed} (${wanted}). To allow this, add ${remedy} to "permissions" in ${plugin.manifest} and grant it.`;
    return withCode(new Error(message), code);
  };
}

/** The same for an npm package in the plugin, by its directory. */
export function makePackageDenial(
  plugin: PluginIdentity,
  inPackage: string,
): (permission: PermissionName, wanted: string) => Error {
  return (permission, wanted) => {
    const { code, deed } = wordings[permission];
    const message = `The package ${inPackage} of ${plugin.id} may not ${deed} (${wanted}). To allow this, add ${packageRemedy(permission, wanted)} to the grant of ${JSON.stringify(inPackage)} in the option "packages" or in the lock file.`;
    return withCode(new Error(message), code);
  };
}

function packageRemedy(permission: PermissionName, wanted: string): string {
  if (permission === 'env') return `"env": [${JSON.stringify(wanted)}]`;
  const [, host] = /^\S+ https?:\/\/([\w.:[\]-]+)/.exec(wanted) ?? [];
  return permission === 'network' && host !== undefined
    ? `"network": [${JSON.stringify(host)}]`
    : `"${permission}": true`;
}

/** The error of a capability whose permission was revoked. */
export function makeRevocation(
  plugin: PluginIdentity,
  permission: PermissionName,
  wanted: string,
): Error {
  const message = `${plugin.id} may no longer ${wordings[permission].deed} (${wanted}): the permission was revoked.`;
  return withCode(new Error(message), 'PERMISSION_REVOKED');
}
