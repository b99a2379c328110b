import type { GuestGrant, PluginIdentity } from '../wire/methods.js';
import { withCode } from './coded-error.js';

/** A kind of permission, as grants, endowments and brokers call it. */
export type PermissionName = keyof GuestGrant;

interface Wording {
  readonly code: string;
  /** What the plugin may not do. */
  readonly deed: string;
  /** The member of `permissions` that asks for it, as manifests write it. */
  readonly remedy: string;
}

const wordings: Readonly<Record<PermissionName, Wording>> = {
  time: { code: 'TIME_DENIED', deed: 'tell the time', remedy: '"time": true' },
  random: { code: 'RANDOM_DENIED', deed: 'use randomness', remedy: '"random": true' },
  network: {
    code: 'NETWORK_DENIED',
    deed: 'use the network',
    remedy: '"network": ["<host name>"]',
  },
  environment: {
    code: 'ENVIRONMENT_DENIED',
    deed: 'read environment variables',
    remedy: '"env": ["<variable name>"]',
  },
  filesystem: {
    code: 'FILESYSTEM_DENIED',
    deed: 'read files',
    remedy: '"fs": ["<path prefix>"]',
  },
  storage: { code: 'STORAGE_DENIED', deed: 'keep files of its own', remedy: '"storage": true' },
  powers: {
    code: 'POWER_DENIED',
    deed: 'use what the host provides',
    remedy: '"powers": ["<name>"]',
  },
};

/**
 * Makes the errors that a plugin gets where it uses what it was not granted: what was refused, to
 * whom, and the edit that would allow it.
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

/** The error of a capability that was granted and has been taken away since. */
export function makeRevocation(
  plugin: PluginIdentity,
  permission: PermissionName,
  wanted: string,
): Error {
  const message = `${plugin.id} may no longer ${wordings[permission].deed} (${wanted}): the permission was revoked.`;
  return withCode(new Error(message), 'PERMISSION_REVOKED');
}
