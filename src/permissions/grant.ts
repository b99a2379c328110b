import type { Permissions } from './kind.js';
import { type NetworkTable, makeNetworkTable } from './network.js';
import { NO_PERMISSIONS, makePermissions, scopesOf } from './permissions.js';
import { permissionNames, scopeTexts } from './table.js';

/**
 * The effective permissions of one plugin: the only input of endowments and brokers. Only `makeGrant`
 * creates one, so a function that takes a `Grant` cannot be called with declared permissions.
 */
export type Grant = FrozenGrant;

/**
 * Grants the permissions that are both declared and allowed by the policy. Throws `INVALID_PERMISSION`
 * if either has an invalid scope.
 */
export function makeGrant(declared: Permissions, policyGranted: Permissions): Grant {
  // A fast path: most plugins do not have permissions.
  if (declared === NO_PERMISSIONS && policyGranted === NO_PERMISSIONS) return NOTHING_GRANTED;
  const permissions = effectivePermissions(declared, policyGranted);
  return permissions === NO_PERMISSIONS ? NOTHING_GRANTED : new FrozenGrant(permissions);
}

class FrozenGrant {
  readonly permissions: Permissions;
  // A private member makes the type nominal.
  readonly #network: NetworkTable;
  readonly #variables: ReadonlySet<string>;

  constructor(permissions: Permissions) {
    this.permissions = permissions;
    this.#network = makeNetworkTable(permissions.network);
    this.#variables = new Set(permissions.env);
    Object.freeze(this);
  }

  /** Whether the plugin may request the URL with that method. Default: with any method. */
  allowsUrl(url: URL, method?: string): boolean {
    return this.scopeFor(url, method) !== undefined;
  }

  /** The text of the first network scope that allows the request. */
  scopeFor(url: URL, method?: string): string | undefined {
    return this.#network(url, method);
  }

  allowsVariable(name: string): boolean {
    return this.#variables.has(name);
  }
}

const NOTHING_GRANTED = new FrozenGrant(NO_PERMISSIONS);

/**
 * The effective permissions: declared ∩ granted, for each kind. Throws `INVALID_PERMISSION` if either
 * has an invalid scope.
 */
export function effectivePermissions(declared: Permissions, granted: Permissions): Permissions {
  return makePermissions((name) =>
    // guard: grant-intersects-declaration
    scopeTexts[name].intersect(scopesOf(declared, name), scopesOf(granted, name)),
  );
}

/**
 * Whether `held` covers all of `wanted`. One held scope must cover each wanted scope: two scopes that
 * only cover it together do not count, so that the operator is asked.
 */
export function coversAll(held: Permissions, wanted: Permissions): boolean {
  return permissionNames.every(
    (name) => scopeTexts[name].beyond(scopesOf(held, name), scopesOf(wanted, name)).length === 0,
  );
}
