import { BulkheadError } from '../../errors.js';
import type { EventBus } from '../../events.js';
import { closest } from '../../permissions/closest.js';
import type { Permissions } from '../../permissions/kind.js';
import { parseReference, type PermissionReference } from '../../permissions/reference.js';
import { scopesOf } from '../../permissions/permissions.js';
import { scopeTexts } from '../../permissions/table.js';
import type { Grants } from './grants.js';
import type { Installed } from '../plugins/installed.js';
import type { Registry } from '../plugins/registry.js';

export interface PermitPowers {
  readonly grants: Grants;
  readonly registry: Pick<Registry, 'find' | 'follow' | 'ids' | 'refresh'>;
  readonly events: EventBus;
}

/**
 * Changes what a running plugin is granted. The host's brokers have followed when this returns its
 * promise; the plugin's guests have when that resolves. Rejects `INVALID_OPTIONS`, `INVALID_PERMISSION`.
 */
export async function permit(
  { grants, registry, events }: PermitPowers,
  plugin: string,
  to: 'granted' | 'revoked',
  permissions: readonly string[],
): Promise<void> {
  const installed = registry.find(plugin);
  if (installed.length === 0) throw unknownPlugin(plugin, registry.ids());
  const names = installed.flatMap((one) => one.plugin.entries.flatMap((e) => e.declared.powers));
  const references = permissions.map((text) => parseReference(text, names));
  for (const [at, permission] of references.entries()) {
    if (to === 'granted') demandDeclared(installed, permission, permissions[at] ?? '');
    else demandConfined(installed);
  }
  for (const permission of references) grants.change(plugin, { to, permission });
  const followed = registry.follow(plugin);
  events.emit({
    type: 'permission-changed',
    plugin,
    change: to,
    permissions: [...permissions],
    effective: effectiveOf(installed),
  });
  await followed;
  // What is new to it may be what it needed to offer more.
  if (to === 'granted') await registry.refresh(plugin);
}

function effectiveOf(installed: readonly Installed[]): Readonly<Record<string, Permissions>> {
  return Object.fromEntries(
    installed.flatMap(({ entries }) =>
      entries.map(({ entry, effective }) => [entry.key, effective]),
    ),
  );
}

/** Nobody ever gets what they did not declare. */
function demandDeclared(
  installed: readonly Installed[],
  { kind, scope }: PermissionReference,
  text: string,
): void {
  const declares = installed.some(({ plugin }) =>
    plugin.entries.some(({ declared, undeclared }) => {
      // Where a system has no place for permissions, the host's word is the request.
      if (undeclared === true || undeclared?.includes(kind) === true) return true;
      const scopes = scopesOf(declared, kind);
      return scope === undefined
        ? scopes.length > 0
        : scopeTexts[kind].intersect(scopes, [scope]).length > 0;
    }),
  );
  const [first] = installed;
  if (declares || first === undefined) return;
  const { id, manifest } = first.plugin;
  throw new BulkheadError(
    'INVALID_PERMISSION',
    `${id} does not declare ${text}, so it cannot be granted. To allow this, declare it in ${manifest} and reload.`,
    { kind, text },
  );
}

/** From a process that has every power of its user nothing can be taken away. */
function demandConfined(installed: readonly Installed[]): void {
  for (const { plugin, entries } of installed) {
    const host = entries.some(
      ({ entry, rooms }) => entry.confinement === 'host' && rooms.length > 0,
    );
    if (!host) continue;
    throw new BulkheadError(
      'INVALID_OPTIONS',
      `${plugin.id} runs unconfined, and nothing can be taken from it while it runs. Remove it from hostMode.`,
      { option: 'plugin' },
    );
  }
}

function unknownPlugin(plugin: string, ids: readonly string[]): BulkheadError {
  const near = closest(plugin, ids);
  return new BulkheadError(
    'INVALID_OPTIONS',
    `There is no plugin ${plugin}.${near === undefined ? '' : ` Is ${near} meant?`}`,
    { option: 'plugin' },
  );
}
