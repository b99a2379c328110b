import { BulkheadError } from '../errors.js';

/**
 * A kind of permission: its syntax, what it covers, and its explanation for people.
 *
 * Scopes of one kind are ordered by authority. The property tests check these laws for every kind:
 *
 * - `covers` is reflexive and transitive;
 * - `attenuate(a, b)` is covered by both `a` and `b`: attenuation only removes authority;
 * - `parse(format(scope))` is `scope`.
 */
export interface PermissionKind<Scope> {
  /** The kind's name: in code, manifests, grants, lock files, on the command line and in records. */
  readonly name: PermissionName;
  /** Parses a scope. Throws `INVALID_PERMISSION`. */
  readonly parse: (text: string) => Scope;
  readonly format: (scope: Scope) => string;
  /** Whether `held` allows everything that `wanted` allows. */
  readonly covers: (held: Scope, wanted: Scope) => boolean;
  /** The scope that both allow; `undefined` if they do not overlap. */
  readonly attenuate: (held: Scope, limit: Scope) => Scope | undefined;
  /** One sentence for the approver. */
  readonly explain: (scope: Scope) => string;
}

export type PermissionName = 'time' | 'random' | 'storage' | 'env' | 'fs' | 'network' | 'powers';

/**
 * The scopes of each kind, as texts that the kind parses. Time, random and storage do not have scopes.
 */
export interface Permissions {
  readonly time: boolean;
  readonly random: boolean;
  /** A writable directory of the plugin's own. */
  readonly storage: boolean;
  /** e.g. `api.example.com`, `*.example.com`, `api.example.com:8443`, `http://intra.example.com`. */
  readonly network: readonly string[];
  /** Names of variables. */
  readonly env: readonly string[];
  /** Path prefixes, relative to the plugin's directory or absolute. */
  readonly fs: readonly string[];
  /** Names of powers that the host provides: `conversations`, `generation`. */
  readonly powers: readonly string[];
}

/** The error for an invalid permission. `why` ends with the correction. */
export function invalidPermission(
  kind: PermissionName | 'known',
  text: string,
  why: string,
): BulkheadError<'INVALID_PERMISSION'> {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return new BulkheadError(
    'INVALID_PERMISSION',
    `${JSON.stringify(shown)} is not a valid ${kind === 'known' ? '' : `${kind} `}permission: ${why}`,
    { kind, text: shown },
  );
}
