import type { GuestGrant, LoadParams } from '../../../sandbox/wire/methods.js';
import { snapshotEnvironment } from '../../brokers/environment.js';
import type { Grant } from '../../permissions/grant.js';
import type { EntrySpec } from './entry-spec.js';
import { identityOf } from '../grants/identity.js';
import { GUEST_LIMITS } from '../options/limits.js';
import type { HeldSecret } from '../options/secrets.js';
import type { Settings } from '../options/settings.js';

/** What a blank guest is told of the entry that it is to hold. */
export function loadParams(spec: EntrySpec, sourceUrl: string, grant: GuestGrant): LoadParams {
  const { plugin, entry, bundle, config, settings } = spec;
  return {
    plugin: identityOf(plugin),
    grant,
    limits: { ...GUEST_LIMITS, maxResultBytes: settings.limits.maxResultBytes },
    dialect: entry.dialect,
    code: bundle.code,
    sourceUrl,
    assignedGlobals: bundle.assignedGlobals,
    config,
    lent: settings.lent.names,
    introduction: entry.introduction ?? null,
    ...(spec.tape === undefined ? {} : { tape: spec.tape }),
    ...(entry.confinement === 'host' ? { directory: plugin.directory } : {}),
  };
}

/** A grant as guests know it: what they ask their host for is checked there. */
export function guestGrant(
  { permissions }: Grant,
  env: Settings['env'],
  secrets: readonly HeldSecret[],
): GuestGrant {
  const { time, random, network, filesystem, environment, storage, powers } = permissions;
  return {
    time,
    random,
    network: network.length > 0,
    filesystem: filesystem.length > 0,
    storage,
    powers: powers.length > 0 ? powers : undefined,
    environment:
      environment.length > 0 ? snapshotEnvironment(environment, env, secrets) : undefined,
  };
}
