import type { GuestGrant, PluginIdentity } from '../wire/methods.js';
import { grantRemedy } from '../wire/grant-remedy.js';
import { withCode } from './errors.js';

/** A kind of permission, as in grants, endowments and brokers. */
export type PermissionName = keyof GuestGrant;

interface Wording {
  readonly code: string;
  /** The forbidden action. */
  readonly deed: string;
}

const wordings: Readonly<Record<PermissionName, Wording>> = {
  time: { code: 'TIME_DENIED', deed: 'read the time' },
  random: { code: 'RANDOM_DENIED', deed: 'use randomness' },
  network: {
    code: 'NETWORK_DENIED',
    deed: 'use the network',
  },
  env: {
    code: 'ENVIRONMENT_DENIED',
    deed: 'read environment variables',
  },
  fs: {
    code: 'FILESYSTEM_DENIED',
    deed: 'read files',
  },
  storage: { code: 'STORAGE_DENIED', deed: 'store files' },
  powers: {
    code: 'POWER_DENIED',
    deed: 'use what the host provides',
  },
};

/**
 * Makes the errors for uses without a grant: what was refused, to which plugin, and what allows
 * it.
 */
export function makeDenial(
  plugin: PluginIdentity,
): (permission: PermissionName, wanted: string) => Error {
  return (permission, wanted) => {
    const { code, deed } = wordings[permission];
    const remedy = grantRemedy(plugin, permission, scopeOf(permission, wanted));
    const message = `${plugin.id} may not ${deed} (${wanted}). ${remedy}`;
    return withCode(new Error(message), code);
  };
}

/** The same for an npm package in the plugin, by its directory. `undefined`: it is not known which one. */
export function makePackageDenial(
  plugin: PluginIdentity,
  inPackage: string | undefined,
): (permission: PermissionName, wanted: string) => Error {
  return (permission, wanted) => {
    const { code, deed } = wordings[permission];
    const [who, grantee] =
      inPackage === undefined
        ? [`A package of ${plugin.id}, which offers this to other code,`, 'that package']
        : [`The package ${inPackage} of ${plugin.id}`, JSON.stringify(inPackage)];
    const message = `${who} may not ${deed} (${wanted}). To allow this, add ${packageRemedy(permission, wanted)} to the grant of ${grantee} in the option "packages" or in the lock file.`;
    return withCode(new Error(message), code);
  };
}

/** What a use needs, as far as its text names it: `GET https://api.example.com/` names a host. */
function scopeOf(permission: PermissionName, wanted: string): string | undefined {
  if (permission === 'env') return /^\w+$/.test(wanted) && wanted !== 'env' ? wanted : undefined;
  if (permission === 'powers') return wanted;
  if (permission !== 'network') return undefined;
  const [, scheme, host] = /^(?:\S+ )?(https?):\/\/([\w.:[\]-]+)(?![\w.:[\]@-])/.exec(wanted) ?? [];
  return host === undefined || scheme === 'https' ? host : `http://${host}`;
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
