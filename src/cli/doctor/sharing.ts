import type { ConfigFile } from '../../http/config.js';

/**
 * What the configuration says about processes that plugins and tenants share, as sentences. A plugin
 * that it does not name has one guest of its own for the calls of every tenant.
 */
export function describeSharing({ isolation, replicas, trustGroups }: ConfigFile): string[] {
  return [
    ...Object.entries(isolation ?? {}).map(([plugin, kind]) => `${plugin}: ${ISOLATED[kind]}`),
    ...Object.entries(replicas ?? {}).map(
      ([plugin, { max }]) => `${plugin}: up to ${max} guests at once`,
    ),
    ...Object.entries(trustGroups ?? {}).map(
      ([group, plugins]) =>
        `${plugins.join(', ')}: one guest, as trust group ${group}; each has the permissions of all if it breaks out`,
    ),
  ];
}

const ISOLATED = {
  plugin: 'the calls of all tenants share its guests',
  tenant: 'each tenant has a guest of its own',
  call: 'each call has a guest of its own',
} as const;
