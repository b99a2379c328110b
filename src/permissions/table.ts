import { environment } from './environment.js';
import { filesystem, type PathScope } from './filesystem.js';
import type { PermissionKind, PermissionName } from './kind.js';
import type { NetworkScope } from '../../sandbox/wire/network-scope.js';
import { network } from './network.js';
import { powers } from './powers.js';
import { type Held, random, storage, time } from './unscoped.js';

interface Scopes {
  time: Held;
  random: Held;
  storage: Held;
  network: NetworkScope;
  env: string;
  fs: PathScope;
  powers: string;
}

/** Every kind of permission. */
export const permissionKinds: {
  readonly [Name in PermissionName]: PermissionKind<Scopes[Name]>;
} = { time, random, storage, network, env: environment, fs: filesystem, powers };

/** In the order of display: the least powerful first. */
export const permissionNames: readonly PermissionName[] = [
  'time',
  'random',
  'storage',
  'env',
  'fs',
  'network',
  'powers',
];

/** The operations of each kind over lists of texts. */
export const scopeTexts: Readonly<Record<PermissionName, ScopeTexts>> = {
  time: makeScopeTexts(time),
  random: makeScopeTexts(random),
  storage: makeScopeTexts(storage),
  network: makeScopeTexts(network),
  env: makeScopeTexts(environment),
  fs: makeScopeTexts(filesystem),
  powers: makeScopeTexts(powers),
};

/** The operations of one kind over texts. All throw `INVALID_PERMISSION` for an invalid text. */
interface ScopeTexts {
  /** The normalized text. */
  readonly normalise: (text: string) => string;
  readonly explain: (text: string) => string;
  /** What both lists allow, without redundant scopes. */
  readonly intersect: (held: readonly string[], limit: readonly string[]) => readonly string[];
  /** The scopes of `wanted` that no single scope of `held` covers. */
  readonly beyond: (held: readonly string[], wanted: readonly string[]) => readonly string[];
}

function makeScopeTexts<Scope>(kind: PermissionKind<Scope>): ScopeTexts {
  const parseAll = (texts: readonly string[]): readonly Scope[] => texts.map(kind.parse);
  return {
    normalise: (text) => kind.format(kind.parse(text)),
    explain: (text) => kind.explain(kind.parse(text)),
    intersect: (held, limit) => {
      // A fast path: most plugins use few kinds.
      if (held.length === 0 && limit.length === 0) return NOTHING;
      const limits = parseAll(limit);
      const meets = parseAll(held).flatMap((scope) => meetAll(kind, scope, limits));
      return [...new Set(withoutCovered(kind, meets).map(kind.format))];
    },
    beyond: (held, wanted) => {
      if (held.length === 0 && wanted.length === 0) return NOTHING;
      const holding = parseAll(held);
      return parseAll(wanted)
        .filter((scope) => !holding.some((other) => kind.covers(other, scope)))
        .map(kind.format);
    },
  };
}

const NOTHING: readonly string[] = [];

function meetAll<Scope>(
  kind: PermissionKind<Scope>,
  scope: Scope,
  limits: readonly Scope[],
): readonly Scope[] {
  // A fast path, which also makes the intersection of a list with itself linear.
  if (limits.some((limit) => kind.covers(limit, scope))) return [scope];
  return limits.flatMap((limit) => kind.attenuate(scope, limit) ?? []);
}

/** Removes scopes that another scope covers. Of two equal scopes it removes the later one. */
function withoutCovered<Scope>(
  kind: PermissionKind<Scope>,
  scopes: readonly Scope[],
): readonly Scope[] {
  const result: Scope[] = [];
  for (const scope of scopes) {
    if (result.some((other) => kind.covers(other, scope))) continue;
    const left = result.filter((other) => !kind.covers(scope, other));
    result.splice(0, result.length, ...left, scope);
  }
  return result;
}
