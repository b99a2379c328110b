import { isRecord } from '../../../../sandbox/wire/json.js';
import { parentOf, type PluginFiles } from '../files.js';

/** The fields of a package.json that resolution uses. Untrusted: every field is checked. */
export interface PackageInfo {
  /** The package's directory, relative to the plugin's. */
  readonly directory: string;
  readonly name: string | undefined;
  readonly isModule: boolean;
  /** Candidates for the package's main file, the preferred one first; without the browser's. */
  readonly mains: readonly string[];
  readonly browserMain: string | undefined;
  /** Files and packages that the package replaces outside Node; `false` replaces by an empty module. */
  readonly replacements: ReadonlyMap<string, string | false>;
  readonly exports: unknown;
  readonly imports: unknown;
  /**
   * Whether the package allows a file to be left out if none of its exports is used: `sideEffects: false`, or a list
   * that does not have it. `inside`: relative to the package's directory.
   */
  readonly isPure: (inside: string) => boolean;
}

export interface Packages {
  /** The package.json of that directory. */
  in(directory: string): PackageInfo | undefined;
  /** The nearest package.json at or above a directory, inside the plugin. */
  around(directory: string): PackageInfo | undefined;
}

export function makePackages(files: PluginFiles): Packages {
  const known = new Map<string, PackageInfo | undefined>();

  const load = (directory: string): PackageInfo | undefined => {
    const file = files.locate(directory === '' ? 'package.json' : `${directory}/package.json`);
    if (file?.kind !== 'file') return undefined;
    return readPackage(directory, files.read(file.path));
  };
  const inside = (directory: string): PackageInfo | undefined => {
    if (!known.has(directory)) known.set(directory, load(directory));
    return known.get(directory);
  };

  return {
    in: inside,
    around: (directory) => {
      for (let at = directory; ; at = parentOf(at)) {
        const found = inside(at);
        if (found !== undefined || at === '' || isPackagesFolder(at)) return found;
      }
    },
  };
}

/** Whether a folder contains packages. A package.json above it does not apply inside it. */
export function isPackagesFolder(path: string): boolean {
  return /(?:^|\/)node_modules$/.test(path);
}

function readPackage(directory: string, text: string): PackageInfo {
  const fields = parseObject(text);
  const { name, type, main, module, browser, sideEffects } = fields;
  return {
    directory,
    name: typeof name === 'string' ? name : undefined,
    isModule: type === 'module',
    // `module` first: the exports of an ES module are explicit.
    mains: [module, main].filter((value) => typeof value === 'string'),
    browserMain: typeof browser === 'string' ? browser : undefined,
    replacements: readReplacements(browser),
    exports: fields['exports'],
    imports: fields['imports'],
    isPure: purityOf(sideEffects),
  };
}

function purityOf(sideEffects: unknown): PackageInfo['isPure'] {
  if (sideEffects === false) return () => true;
  if (!Array.isArray(sideEffects)) return () => false;
  const patterns: readonly unknown[] = sideEffects;
  const kept = patterns.map((one) => String(one).replace(/^\.\//, ''));
  // Patterns match as much as their beginning allows: a file too many is only kept.
  return (inside) =>
    !kept.some((pattern) => {
      const fixed = /^[^*?[{]*/.exec(pattern)?.[0] ?? '';
      if (fixed !== pattern) return inside.startsWith(fixed);
      return pattern.includes('/')
        ? inside === pattern
        : inside === pattern || inside.endsWith(`/${pattern}`);
    });
}

/** A package.json that is not a JSON object counts as empty. */
function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function readReplacements(browser: unknown): Map<string, string | false> {
  const replacements = new Map<string, string | false>();
  if (!isRecord(browser)) return replacements;
  for (const [from, to] of Object.entries(browser)) {
    if (typeof to === 'string' || to === false) replacements.set(from, to);
  }
  return replacements;
}
