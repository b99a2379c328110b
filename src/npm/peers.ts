import { isRecord } from '../../sandbox/wire/json.js';

/*
 * Plugins name what their host provides as a peer dependency. npm would look for it in the registry,
 * which may not have it.
 */

/** The peers of a package, by name. */
export type Peers = Readonly<
  Record<string, { readonly range: unknown; readonly optional: boolean }>
>;

/** Reads `peerDependencies` and `peerDependenciesMeta` of what npm says about a version. */
export function readPeers({
  peerDependencies: ranges,
  peerDependenciesMeta: meta,
}: Readonly<Record<string, unknown>>): Peers {
  const isOptional = (name: string): boolean => {
    const about = isRecord(meta) ? meta[name] : undefined;
    return isRecord(about) && about['optional'] === true;
  };
  const entries = Object.entries(isRecord(ranges) ? ranges : {});
  return Object.fromEntries(
    entries.map(([name, range]) => [name, { range, optional: isOptional(name) }]),
  );
}

type Names = Readonly<Record<string, unknown>>;

/** What npm has to install for these peers; `undefined` if hosts provide none of them. */
export function withoutProvided(peers: Peers, provided: readonly string[]): Names | undefined {
  if (!provided.some((name) => peers[name]?.optional === false)) return undefined;
  const others = Object.entries(peers).filter(
    ([name, { optional }]) => !optional && !provided.includes(name),
  );
  return Object.fromEntries(others.map(([name, { range }]) => [name, range]));
}

/** What a repository needs, without what hosts provide. */
export function withoutProvidedIn(needs: Names, provided: readonly string[]): Names {
  const { peerDependencies: peers } = needs;
  if (!isRecord(peers)) return needs;
  const others = Object.entries(peers).filter(([name]) => !provided.includes(name));
  return { ...needs, peerDependencies: Object.fromEntries(others) };
}
