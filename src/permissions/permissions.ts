import type { PermissionName, Permissions } from './kind.js';

const NONE: readonly string[] = Object.freeze([]);

/** Holds nothing. */
export const NO_PERMISSIONS: Permissions = Object.freeze({
  time: false,
  random: false,
  storage: false,
  network: NONE,
  environment: NONE,
  filesystem: NONE,
  powers: NONE,
});

/** The scopes of one kind, as texts; a kind without scopes has the one text `true`, or none. */
export function scopesOf(permissions: Permissions, name: PermissionName): readonly string[] {
  const value = permissions[name];
  if (typeof value === 'boolean') return value ? ['true'] : [];
  return value;
}

/** Permissions, frozen, with the scopes that `choose` answers for each kind. */
export function makePermissions(choose: (name: PermissionName) => readonly string[]): Permissions {
  const made = {
    time: choose('time').length > 0,
    random: choose('random').length > 0,
    storage: choose('storage').length > 0,
    network: frozen(choose('network')),
    environment: frozen(choose('environment')),
    filesystem: frozen(choose('filesystem')),
    powers: frozen(choose('powers')),
  };
  const holdsAny = Object.values(made).some((held) => held !== false && held !== NONE);
  // Most plugins hold nothing: to compare that with nothing takes no look inside.
  return holdsAny ? Object.freeze(made) : NO_PERMISSIONS;
}

function frozen(scopes: readonly string[]): readonly string[] {
  return scopes.length === 0 ? NONE : Object.freeze([...scopes]);
}
