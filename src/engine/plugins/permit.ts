import { BulkheadError } from '../../errors.js';
import type { EventBus } from '../../events.js';
import { didYouMean } from '../../did-you-mean.js';
import { invalidPermission, type Permissions } from '../../permissions/kind.js';
import { scopesOf } from '../../permissions/permissions.js';
import { parseReference, type PermissionReference } from '../../permissions/reference.js';
import { scopeTexts } from '../../permissions/table.js';
import type { Grants } from './grants.js';
import type { InstalledPlugin } from './installed.js';
import type { Registry } from './registry.js';

export interface PermitCapabilities {
  readonly grants: Grants;
  readonly registry: Pick<Registry, 'find' | 'updateGrants' | 'ids' | 'refresh'>;
  readonly events: EventBus;
}

/**
 * Changes the grant of a running plugin. The host's brokers have applied it when this returns its
 * promise. The plugin's guests have applied it when the promise resolves. Rejects with
 * `INVALID_OPTIONS` or `INVALID_PERMISSION`.
 */
export async function permit(
  { grants, registry, events }: PermitCapabilities,
  plugin: string,
  to: 'granted' | 'revoked',
  permissions: readonly string[],
): Promise<void> {
  const installed = registry.find(plugin);
  if (installed.length === 0) throw unknownPlugin(plugin, registry.ids());
  const names = installed.flatMap((one) => one.plugin.entries.flatMap((e) => e.declared.powers));
  const references = permissions.map((text) => parseReference(textOf(text), names));
  for (const [at, permission] of references.entries()) {
    if (to === 'granted') demandDeclared(installed, permission, permissions[at] ?? '');
    else demandConfined(installed);
  }
  for (const permission of references) grants.change(plugin, { to, permission });
  const updated = registry.updateGrants(plugin);
  events.emit({
    type: 'permission-changed',
    plugin,
    change: to,
    permissions: [...permissions],
    effective: effectiveOf(installed),
  });
  await updated;
  // With a new permission the plugin may contribute more.
  if (to === 'granted') await registry.refresh(plugin);
}

/** A caller without types may pass an object of a grant. */
function textOf(permission: unknown): string {
  if (typeof permission === 'string') return permission;
  throw invalidPermission(
    'known',
    JSON.stringify(permission) ?? String(permission),
    'a permission is a text. Pass one text for each permission, such as "network:api.example.com" or "powers:chats".',
  );
}

function effectiveOf(installed: readonly InstalledPlugin[]): Readonly<Record<string, Permissions>> {
  return Object.fromEntries(
    installed.flatMap(({ entries }) =>
      entries.map(({ entry, effective }) => [entry.key, effective]),
    ),
  );
}

/** A plugin never gets a permission that it did not declare. */
function demandDeclared(
  installed: readonly InstalledPlugin[],
  { kind, scope }: PermissionReference,
  text: string,
): void {
  const declares = installed.some(({ plugin }) =>
    plugin.entries.some(({ declared, undeclared }) => {
      // If the plugin's system cannot declare the kind, the host's grant counts as the declaration.
      if (undeclared === true || undeclared?.includes(kind) === true) return true;
      const scopes = scopesOf(declared, kind);
      return scope === undefined
        ? scopes.length > 0
        : scopeTexts[kind].intersect(scopes, [scope]).length > 0;
    }),
  );
  const [first] = installed;
  // guard: grant-was-declared
  if (declares || first === undefined) return;
  const { id, manifest } = first.plugin;
  throw new BulkheadError(
    'INVALID_PERMISSION',
    `${id} does not declare ${text}, so it cannot be granted. To allow this, declare it in ${manifest} and reload.`,
    { kind, text },
  );
}

/** The host cannot revoke permissions from an unconfined process. */
function demandConfined(installed: readonly InstalledPlugin[]): void {
  for (const { plugin, entries } of installed) {
    const host = entries.some(
      ({ entry, instances }) => entry.confinement === 'host' && instances.length > 0,
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
  const near = didYouMean(plugin, ids);
  return new BulkheadError(
    'INVALID_OPTIONS',
    `There is no plugin ${plugin}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
    { option: 'plugin' },
  );
}
