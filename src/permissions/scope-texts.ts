import type { PermissionKind } from './kind.js';

/** One kind over lists of scopes, as texts. All of it throws `INVALID_PERMISSION` on a bad text. */
export interface ScopeTexts {
  /** The text as `format` writes it. */
  readonly normalise: (text: string) => string;
  readonly explain: (text: string) => string;
  /** What both lists allow, as few scopes as say it. */
  readonly intersect: (held: readonly string[], limit: readonly string[]) => readonly string[];
  /** Those of `wanted` that no scope of `held` covers by itself. */
  readonly beyond: (held: readonly string[], wanted: readonly string[]) => readonly string[];
}

export function makeScopeTexts<Scope>(kind: PermissionKind<Scope>): ScopeTexts {
  const parseAll = (texts: readonly string[]): readonly Scope[] => texts.map(kind.parse);
  return {
    normalise: (text) => kind.format(kind.parse(text)),
    explain: (text) => kind.explain(kind.parse(text)),
    intersect: (held, limit) => {
      // Usual: of most kinds a plugin asks for nothing.
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
  // Usual, and it keeps a list that is intersected with itself from meeting every pair.
  if (limits.some((limit) => kind.covers(limit, scope))) return [scope];
  return limits.flatMap((limit) => kind.attenuate(scope, limit) ?? []);
}

/** Leaves out what another scope covers; of two that cover each other, the later. */
function withoutCovered<Scope>(
  kind: PermissionKind<Scope>,
  scopes: readonly Scope[],
): readonly Scope[] {
  const kept: Scope[] = [];
  for (const scope of scopes) {
    if (kept.some((other) => kind.covers(other, scope))) continue;
    const left = kept.filter((other) => !kind.covers(scope, other));
    kept.splice(0, kept.length, ...left, scope);
  }
  return kept;
}
