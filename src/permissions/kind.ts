/**
 * A kind of permission: how it is written, what it covers, and how it is said aloud.
 *
 * Scopes of one kind are ordered by authority. Every kind obeys, and the property tests check:
 *
 * - `covers` is reflexive and transitive;
 * - `attenuate(a, b)` is covered by both `a` and `b`: attenuation only ever removes authority;
 * - `parse(format(scope))` is `scope`.
 */
export interface PermissionKind<Scope> {
  /** The word for this kind, everywhere: broker, endowment, audit record, test. */
  readonly name: PermissionName;
  /** The word that manifests and the command line write: `fs` for filesystem, `env` for environment. */
  readonly written: string;
  /** Reads a scope as a plugin author wrote it. Throws `INVALID_PERMISSION`. */
  readonly parse: (text: string) => Scope;
  readonly format: (scope: Scope) => string;
  /** Whether holding `held` is enough to use `wanted`. */
  readonly covers: (held: Scope, wanted: Scope) => boolean;
  /** The most authority allowed by both, or `undefined` when they share none. */
  readonly attenuate: (held: Scope, limit: Scope) => Scope | undefined;
  /** One sentence for the person being asked to approve. */
  readonly explain: (scope: Scope) => string;
}

export type PermissionName =
  | 'time'
  | 'random'
  | 'storage'
  | 'environment'
  | 'filesystem'
  | 'network'
  | 'powers';

/**
 * Permissions as paper: for each kind its scopes, as text that the kind parses. Time, random and
 * storage have no scope: they are held or not.
 */
export interface Permissions {
  readonly time: boolean;
  readonly random: boolean;
  /** A writable directory that is the plugin's alone. */
  readonly storage: boolean;
  /** e.g. `api.example.com`, `*.example.com`, `api.example.com:8443`, `http://intra.example.com`. */
  readonly network: readonly string[];
  /** Names of variables. */
  readonly environment: readonly string[];
  /** Path prefixes, relative to the plugin's directory or absolute. */
  readonly filesystem: readonly string[];
  /** Names of what the host itself lends: `conversations`, `generation`. */
  readonly powers: readonly string[];
}
