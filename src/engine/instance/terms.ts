import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { canonicalJson } from '../../canonical.js';
import { parseScope } from '../../permissions/filesystem.js';
import type { Grant } from '../../permissions/grant.js';
import type { Permissions } from '../../permissions/kind.js';
import { withoutLinks } from '../node/paths.js';
import type { Settings } from '../types/settings.js';
import type { HeldSecret } from './secrets.js';

export interface TermsSpec {
  readonly grant: () => Grant;
  /** Those of the grant. */
  readonly secrets: () => readonly HeldSecret[];
  readonly config: Json;
  readonly network: Settings['network'];
}

/**
 * Returns what reads all that an approval of a call covers besides the call itself. It returns the same object as
 * long as nothing has changed: a call compares it up to three times.
 */
export function makeTerms({ grant, secrets, config, network }: TermsSpec): () => JsonObject {
  const { overrides = [], answer } = network;
  let last:
    | { readonly grant: Grant; readonly mounts: string; readonly terms: JsonObject }
    | undefined;
  return () => {
    const held = grant();
    const mounts = mountsOf(held.permissions);
    const mountsText = mounts.length === 0 ? '' : JSON.stringify(mounts);
    if (last?.grant === held && last.mounts === mountsText) return last.terms;
    const terms = Object.freeze({
      grant: { ...held.permissions },
      mounts,
      config,
      secrets: secrets().map(({ name, binding }) => [name, canonicalJson(binding)]),
      overrides: overrides.map(({ host, url }) => [host, url]),
      ...(answer === undefined ? {} : { answered: true }),
    });
    last = { grant: held, mounts: mountsText, terms };
    return terms;
  };
}

/** The directories of the host that a grant reaches: their real paths, and whether they are writable. */
function mountsOf({ fs }: Permissions): JsonObject[] {
  return fs
    .map(parseScope)
    .filter(({ path }) => path.startsWith('/'))
    .map(({ path, at = path, isWritable }) => ({
      path,
      // guard: approval-bound-to-mounts
      real: withoutLinks(path),
      at,
      isWritable,
    }));
}
