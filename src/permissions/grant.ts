import { effectivePermissions } from './effective.js';
import type { Permissions } from './kind.js';
import { NO_PERMISSIONS } from './permissions.js';
import { makeNetworkTable, type NetworkTable } from './network-table.js';

/**
 * What the host gave one plugin: the only input to endowments and brokers. A function that takes a
 * `Grant` cannot be called with mere permissions, because only `makeGrant` makes one.
 */
export type Grant = MadeGrant;

/**
 * Grants what was both declared and allowed by policy. Throws `INVALID_PERMISSION` where either
 * holds a text that its kind cannot read.
 */
export function makeGrant(declared: Permissions, policyGranted: Permissions): Grant {
  // Most plugins neither ask for anything nor get anything.
  if (declared === NO_PERMISSIONS && policyGranted === NO_PERMISSIONS) return NOTHING_GRANTED;
  const permissions = effectivePermissions(declared, policyGranted);
  return permissions === NO_PERMISSIONS ? NOTHING_GRANTED : new MadeGrant(permissions);
}

class MadeGrant {
  readonly permissions: Permissions;
  // A private member also makes the type nominal: no literal has it.
  readonly #network: NetworkTable;
  readonly #variables: ReadonlySet<string>;

  constructor(permissions: Permissions) {
    this.permissions = permissions;
    this.#network = makeNetworkTable(permissions.network);
    this.#variables = new Set(permissions.environment);
    Object.freeze(this);
  }

  /** Whether the URL may be requested: with that method, or without one with any method at all. */
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

const NOTHING_GRANTED = new MadeGrant(NO_PERMISSIONS);
