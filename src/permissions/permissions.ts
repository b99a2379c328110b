import type { PermissionName, Permissions } from './kind.js';
import { permissionNames, scopeTexts } from './table.js';

const NONE: readonly string[] = Object.freeze([]);

/** No permission of any kind. */
export const NO_PERMISSIONS: Permissions = Object.freeze({
  time: false,
  random: false,
  storage: false,
  network: NONE,
  env: NONE,
  fs: NONE,
  powers: NONE,
});

/** The scopes of one kind, as texts. A granted kind without scopes has the one text `true`. */
export function scopesOf(permissions: Permissions, name: PermissionName): readonly string[] {
  const value = permissions[name];
  if (typeof value === 'boolean') return value ? ['true'] : [];
  return value;
}

/** Frozen permissions with the scopes that `choose` returns for each kind. */
export function makePermissions(choose: (name: PermissionName) => readonly string[]): Permissions {
  const permissions = {
    time: choose('time').length > 0,
    random: choose('random').length > 0,
    storage: choose('storage').length > 0,
    network: frozen(choose('network')),
    env: frozen(choose('env')),
    fs: frozen(choose('fs')),
    powers: frozen(choose('powers')),
  };
  const holdsAny = Object.values(permissions).some((held) => held !== false && held !== NONE);
  // One object for all empty permissions makes comparisons fast.
  return holdsAny ? Object.freeze(permissions) : NO_PERMISSIONS;
}

function frozen(scopes: readonly string[]): readonly string[] {
  return scopes.length === 0 ? NONE : Object.freeze([...scopes]);
}

interface PermissionChange {
  readonly kind: PermissionName;
  readonly scope: string;
  /** The explanation of the scope. */
  readonly sentence: string;
}

export interface PermissionDiff {
  /** What only `after` allows: it needs a review. */
  readonly wider: readonly PermissionChange[];
  /** What only `before` allows. */
  readonly narrower: readonly PermissionChange[];
}

/** The union of permissions. */
export function unionOf(all: readonly Permissions[]): Permissions {
  return makePermissions((name) => [...new Set(all.flatMap((one) => scopesOf(one, name)))]);
}

/** The difference between the permissions of two versions of a plugin or a policy. */
export function diffPermissions(before: Permissions, after: Permissions): PermissionDiff {
  return { wider: changes(before, after), narrower: changes(after, before) };
}

function changes(held: Permissions, wanted: Permissions): readonly PermissionChange[] {
  return permissionNames.flatMap((kind) =>
    scopeTexts[kind]
      .beyond(scopesOf(held, kind), scopesOf(wanted, kind))
      .map((scope) => ({ kind, scope, sentence: scopeTexts[kind].explain(scope) })),
  );
}

/**
 * The permissions as sentences for the approver. A kind that is not granted also has a sentence.
 */
export function explainPermissions(permissions: Permissions): string[] {
  return permissionNames.flatMap((name) => {
    const scopes = scopesOf(permissions, name);
    return scopes.length === 0 ? [WITHOUT[name]] : scopes.map(scopeTexts[name].explain);
  });
}

const WITHOUT: Readonly<Record<PermissionName, string>> = {
  time: 'Clock: none.',
  random: 'Random numbers: none.',
  storage: 'Storage: none.',
  env: 'Environment variables: none.',
  fs: 'Files: none.',
  network: 'Network: none.',
  powers: 'Powers of the host: none.',
};
