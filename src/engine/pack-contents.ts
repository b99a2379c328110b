import { isRecord } from '../../sandbox/wire/json.js';
import { BulkheadError } from '../errors.js';
import { type Artifact, MANIFEST_FILE } from '../plugin/artifact/artifact.js';
import { keyShapesIn } from '../plugin/artifact/key-shapes.js';
import { writeModel } from '../plugin/artifact/model.js';
import { shellWord } from '../visible.js';

/** A reason not to give a packed file to others. */
export interface PackProblem {
  /** Relative to the plugin's directory. */
  readonly file: string;
  readonly why: string;
}

/** The plugin's files in an artifact, sorted, and the packages with them. */
export interface PackContents {
  /** Files of the plugin, relative to its directory. */
  readonly files: readonly string[];
  /** Packages of npm, as `name@version`. */
  readonly packages: readonly string[];
}

export function contentsOf({ bundles }: Pick<Artifact, 'bundles'>): PackContents {
  const all = Object.values(bundles);
  const files = all.flatMap(({ inputs }) => inputs.map(({ path }) => path));
  const packages = all.flatMap((bundle) =>
    bundle.packages.map(({ name, version }) =>
      version === undefined ? name : `${name}@${version}`,
    ),
  );
  return {
    files: [...new Set(files.filter((file) => !file.includes('node_modules/')))].toSorted(),
    packages: [...new Set(packages)].toSorted(),
  };
}

/**
 * Throws `INVALID_ARTIFACT` if an artifact has something that its author would not publish: a file whose name
 * begins with a dot, a text that looks like a key, or the absolute path of a source.
 *
 * @param directory the real path of the plugin's directory
 * @param included files that the author packs all the same
 */
export function refuseSecrets(
  artifact: Artifact,
  directory: string,
  included: readonly string[],
): void {
  const problems = problemsOf(artifact, directory).filter(({ file }) => !included.includes(file));
  // guard: pack-without-secrets
  if (problems.length === 0) return;
  const [first] = problems;
  const list = problems.map(({ file, why }) => `${file}: ${why}`).join('; ');
  throw new BulkheadError(
    'INVALID_ARTIFACT',
    `${artifact.plugin.id} was not packed, because everyone who gets the pack can read it. ${list}. Remove this from the sources, and replace a key that was already published. If it is not a secret, add --include ${shellWord(first?.file ?? '')}.`,
    { file: first?.file ?? '' },
  );
}

function problemsOf(artifact: Artifact, directory: string): readonly PackProblem[] {
  const problems = new Map<string, PackProblem>();
  const add = (file: string, why: string): void => {
    problems.set(`${file}\n${why}`, { file, why });
  };
  for (const file of contentsOf(artifact).files) {
    // guard: pack-without-dotfiles
    if (file.split('/').some((name) => name.startsWith('.'))) {
      add(file, 'its name begins with a dot');
    }
  }
  /** Built code repeats the sources: it is named only for what they do not have. */
  const named = new Set<string>();
  for (const [file, text] of textsOf(artifact)) {
    const found = keyShapesIn(text).map((kind) => `it seems to contain ${kind}`);
    // guard: pack-without-absolute-paths
    if (text.includes(`${directory}/`)) found.push('it contains the path of its directory');
    for (const why of found) {
      if (!named.has(why) || !file.startsWith(MODULES)) add(file, why);
      named.add(why);
    }
  }
  return [...problems.values()];
}

/** The folder of built code in an artifact. */
const MODULES = 'modules/';

/** The texts of an artifact: the manifest, the sources, and the built code at the end. */
function textsOf({ plugin, bundles }: Artifact): readonly (readonly [string, string])[] {
  const builds = Object.entries(bundles);
  return [
    [MANIFEST_FILE, writeModel(plugin)],
    ...builds.flatMap(([, { sourceMap }]) => sourcesIn(sourceMap)),
    ...builds.map(([key, { code }]) => [`${MODULES}${key}`, code] as const),
  ];
}

function sourcesIn(sourceMap: string): readonly (readonly [string, string])[] {
  const map: unknown = JSON.parse(sourceMap);
  if (!isRecord(map) || !Array.isArray(map['sources'])) return [];
  const contents: readonly unknown[] = Array.isArray(map['sourcesContent'])
    ? map['sourcesContent']
    : [];
  return map['sources'].flatMap((source: unknown, index) => {
    const text = contents[index];
    return typeof source === 'string' && typeof text === 'string' ? [[source, text] as const] : [];
  });
}
