import { parentOf, type PluginFiles } from '../files.js';

/** What of a package.json says how modules are found. Read as a stranger's: every field checked. */
export interface PackageInfo {
  /** Where it lies, relative to the plugin's directory. */
  readonly directory: string;
  readonly name: string | undefined;
  readonly isModule: boolean;
  /** Candidates for the package's own file, the preferred one first; not the one for browsers. */
  readonly mains: readonly string[];
  readonly browserMain: string | undefined;
  /** Files and packages that the package replaces (`false`: with nothing) outside of Node. */
  readonly replacements: ReadonlyMap<string, string | false>;
  readonly exports: unknown;
  readonly imports: unknown;
  /** The package says that what nobody uses of it may be left out. */
  readonly isPure: boolean;
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

/** A folder that holds packages: no package.json above it speaks for what lies in it. */
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
    // An ES module's exports need no guess.
    mains: [module, main].filter((value) => typeof value === 'string'),
    browserMain: typeof browser === 'string' ? browser : undefined,
    replacements: readReplacements(browser),
    exports: fields['exports'],
    imports: fields['imports'],
    isPure: sideEffects === false,
  };
}

/** A package.json that is not JSON says nothing; what needs it is then not found. */
function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function readReplacements(browser: unknown): Map<string, string | false> {
  const replacements = new Map<string, string | false>();
  if (!isObject(browser)) return replacements;
  for (const [from, to] of Object.entries(browser)) {
    if (typeof to === 'string' || to === false) replacements.set(from, to);
  }
  return replacements;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
