import { posix } from 'node:path';
import type { Located, PluginFiles } from '../files.js';
import type { BundleSpec, PackageBuild } from '../spec.js';
import type { Packages } from './package.js';

/** The inputs of a file lookup. */
export interface ResolveContext {
  readonly files: PluginFiles;
  readonly packages: Packages;
  readonly variants: Variants;
}

/** Extensions tried in order for a path without one: the author's source before compiled files. */
const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];
/** The same in packages of node_modules: compiled files before sources. */
const PACKAGE_EXTENSIONS = ['.js', '.mjs', '.cjs', '.json', '.jsx', '.ts', '.tsx', '.mts', '.cts'];

/** TypeScript imports name the compiled file: the sources by its extension. */
const COMPILED: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

export function isInPackages(path: string): boolean {
  return path.split('/').includes('node_modules');
}

/**
 * The file at a path: the path itself, the source of that compiled file, the path with an extension
 * added, or the main file of a directory by its package.json or index.
 */
export function findFile(context: ResolveContext, path: string): Located | undefined {
  const { files, packages, variants } = context;
  if (!path.endsWith('/')) {
    const found = findExact(files, path) ?? findWithExtension(files, path);
    if (found !== undefined) return found;
  }
  const directory = files.locate(path);
  if (directory?.kind !== 'directory') return undefined;
  const { name, mains = [], browserMain } = packages.in(directory.path) ?? {};
  return variants.choose(
    browserMain === undefined ? undefined : findMain(files, directory.path, [browserMain]),
    findMain(files, directory.path, [...mains, 'index']),
    name,
  );
}

function findMain(
  files: PluginFiles,
  directory: string,
  candidates: readonly string[],
): Located | undefined {
  for (const candidate of candidates) {
    const target = join(directory, candidate);
    const found =
      findExact(files, target) ??
      findWithExtension(files, target) ??
      findWithExtension(files, `${target}/index`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The file at a path itself, or the source that compiles to it. */
export function findExact(files: PluginFiles, path: string): Located | undefined {
  const exact = asFile(files.locate(path));
  if (exact !== undefined) return exact;
  const extension = posix.extname(path);
  for (const source of COMPILED[extension] ?? []) {
    const found = asFile(files.locate(path.slice(0, -extension.length) + source));
    if (found !== undefined) return found;
  }
  return undefined;
}

function findWithExtension(files: PluginFiles, path: string): Located | undefined {
  for (const extension of isInPackages(path) ? PACKAGE_EXTENSIONS : EXTENSIONS) {
    const found = asFile(files.locate(path + extension));
    if (found !== undefined) return found;
  }
  return undefined;
}

function asFile(located: Located | undefined): Located | undefined {
  return located?.kind === 'file' ? located : undefined;
}

/** Joins paths and keeps a leading `..`, which `locate` refuses. */
export function join(directory: string, path: string): string {
  return posix.join(directory, path);
}

/** Chooses between a package's file for browsers and its file for Node. */
export interface Variants {
  /** Whether packages use their files for Node, without the replacements for browsers. */
  readonly isForNode: boolean;
  /** `name`: of the package. */
  choose(
    forBrowsers: Located | undefined,
    forNode: Located | undefined,
    name: string | undefined,
  ): Located | undefined;
  /** The build that the operator chose for a package; `undefined` if none. */
  chosenFor(name: string | undefined): PackageBuild | undefined;
  /**
   * Whether a package reads files only outside browsers, and otherwise needs only modules that a
   * compartment has. `pairs`: each of its files for Node, with the one that replaces it.
   */
  losesFiles(pairs: readonly (readonly [forNode: Located, forBrowsers: Located])[]): boolean;
  /**
   * Whether a program's package keeps a file that it leaves out for browsers: its main file loads that if there is a
   * version of Node, as a program finds one, and the file needs only modules that a compartment has.
   */
  keeps(main: Located | undefined, path: string): boolean;
}

/**
 * A compartment is neither a browser nor Node. The file for browsers usually runs, since it needs no
 * built-ins. If it needs a DOM, the file for Node is used if it is plain JavaScript.
 */
export function makeVariants(
  files: PluginFiles,
  builtins: NonNullable<BundleSpec['builtins']>,
  packageBuilds: NonNullable<BundleSpec['packageBuilds']> = {},
  isProgram = false,
): Variants {
  const chosenFor = (name: string | undefined): PackageBuild | undefined =>
    name !== undefined && Object.hasOwn(packageBuilds, name) ? packageBuilds[name] : undefined;
  return {
    isForNode: builtins === 'real',
    chosenFor,
    choose: (forBrowsers, forNode, name) => {
      if (forBrowsers === undefined || forNode === undefined) return forBrowsers ?? forNode;
      if (forBrowsers.path === forNode.path || builtins === 'real') return forNode;
      const chosen = chosenFor(name);
      if (chosen !== undefined) return chosen === 'node' ? forNode : forBrowsers;
      const texts = [files.read(forBrowsers.path), files.read(forNode.path)] as const;
      if (isStub(texts[0]) || (isProgram && isForPrograms(name, texts[0]))) return forNode;
      const fitsNode = [runsBetterAsNode, usesNode, sendsOnlyAsNode, needsWindow];
      if (fitsNode.some((fits) => fits(...texts))) return forNode;
      // A short main file has its code elsewhere.
      if (texts[0].length > SHORT_MAIN) return forBrowsers;
      const [browsers, node] = [forBrowsers, forNode].map(({ path }) =>
        textWithImports(files, path),
      );
      return runsBetterAsNode(browsers ?? '', node ?? '') ? forNode : forBrowsers;
    },
    keeps: (main, path) => {
      if (!isProgram || main === undefined) return false;
      const text = textWithImports(files, path);
      return (
        /\bprocess\.versions\b/.test(files.read(main.path)) &&
        !NEEDS_MISSING.test(text) &&
        !READS_FILES.test(text)
      );
    },
    losesFiles: (pairs) => {
      const reads = ({ path }: Located): boolean => READS_FILES.test(textWithImports(files, path));
      return (
        pairs.every(([{ path }]) => !NEEDS_MISSING.test(textWithImports(files, path))) &&
        pairs.some(([forNode, forBrowsers]) => reads(forNode) && !reads(forBrowsers))
      );
    },
  };
}

/** Characters of a file that only exports what others have. */
const SHORT_MAIN = 2_000;

/** Whether a file has no code: its package is built for pages in another way. */
function isStub(text: string): boolean {
  if (text.length > SHORT_MAIN) return false;
  const code = text.replaceAll(/\/\/[^\n]*/g, '').replaceAll(/\s+/g, '');
  return /^(?:export\{\};?)?$/.test(code);
}

/** Whether a program uses a package's file for Node, which finds files, requests and standard streams there. */
function isForPrograms(name: string | undefined, forBrowsers: string): boolean {
  const needsPage = /\bwindow\./.test(forBrowsers) && !/\btypeof window\b/.test(forBrowsers);
  return needsPage || (name !== undefined && OF_PROGRAMS.has(name));
}

/** Packages whose files for browsers lack what programs use of them. */
const OF_PROGRAMS: ReadonlySet<string> = new Set(['pino', '@bugsnag/js']);

/** The text of a file, and of the files that it imports by a relative path. */
function textWithImports(files: PluginFiles, path: string): string {
  const text = files.read(path);
  const imports = [...text.matchAll(RELATIVE_IMPORT)].slice(0, MAX_IMPORTS);
  const imported = imports.flatMap(([, target = '']) => {
    const at = join(posix.dirname(path), target);
    if (at.startsWith('..')) return [];
    const found = findExact(files, at) ?? findWithExtension(files, at);
    return found === undefined || !/\.[cm]?js$/.test(found.path) ? [] : [files.read(found.path)];
  });
  return [text, ...imported].join('\n');
}

const RELATIVE_IMPORT = /\b(?:require\s*\(|from|import)\s*["'](\.\.?\/[^"'\n]{1,200})["']/g;

/** Imports of one file that are read. */
const MAX_IMPORTS = 50;

function runsBetterAsNode(forBrowsers: string, forNode: string): boolean {
  // It fails as it is loaded, whatever the file for Node needs at its use.
  if (READS_NAVIGATOR.test(forBrowsers)) return true;
  if (READS_WINDOW.test(forBrowsers) && !/\btypeof window\b/.test(forBrowsers)) return true;
  return (
    NEEDS_PAGE.test(forBrowsers) &&
    !NEEDS_PAGE.test(forNode) &&
    !NEEDS_MISSING.test(forNode) &&
    !READS_FILES.test(forNode)
  );
}

/** Whether only the file for Node uses modules that a compartment has and a browser does not, and nothing that it lacks. */
function usesNode(forBrowsers: string, forNode: string): boolean {
  return (
    ONLY_IN_NODE.test(forNode) &&
    !ONLY_IN_NODE.test(forBrowsers) &&
    !NEEDS_MISSING.test(forNode) &&
    !READS_FILES.test(forNode)
  );
}

/** Whether the file for browsers has only XMLHttpRequest, and the one for Node sends with `node:http`. */
function sendsOnlyAsNode(forBrowsers: string, forNode: string): boolean {
  return XHR.test(forBrowsers) && !/\bfetch\b/.test(forBrowsers) && HTTP.test(forNode);
}

/** Whether only the file for browsers needs a `window` or a `document`: it reads a class there, has no other global object, or keeps the document. */
function needsWindow(forBrowsers: string, forNode: string): boolean {
  const reads = (text: string): boolean =>
    WINDOW_OR_NOTHING.test(text) ||
    (KEEPS_DOCUMENT.test(text) && !/\btypeof\s+document\b/.test(text)) ||
    (/\bwindow\s*\.\s*[A-Z]\w+/.test(text) && !/\btypeof\s+window\b/.test(text));
  return reads(forBrowsers) && !reads(forNode);
}

/** `typeof window !== 'undefined' ? window : typeof self !== 'undefined' ? self : null` */
const WINDOW_OR_NOTHING =
  /(?:\btypeof\s+(self|window)\s*!==?\s*["']undefined["']\s*\?\s*\1\s*:\s*){2}(?:\/\*[^*]{0,80}\*\/\s*)?(?:null|undefined|void 0)\b/;

/** `const d = document;`, as lit-html has it. */
const KEEPS_DOCUMENT = /[\w$]\s*=\s*document\s*[,;]/;

const XHR = /\.\s*XMLHttpRequest\s*\(|\bnew\s+XMLHttpRequest\b/;
const HTTP = /["'](?:node:)?https?["']/;

/** `process`, and the context of asynchronous code, for which a browser has nothing. */
const ONLY_IN_NODE = /["'](?:node:process|(?:node:)?async_hooks)["']/;

/** A statement at the start of a line, which a file runs as it is loaded. */
const READS_WINDOW =
  /^(?:module\.exports|exports\.\w+|export default|(?:var|let|const) \w+)\b[^\n]*[^.\w]window\./m;

/** A `process` for browsers, which many builds for browsers carry. */
const READS_NAVIGATOR = /\bLANG: ?navigator\.language\b/;

const NEEDS_PAGE =
  /\bdocument\s*\.\s*(?:implementation|createElement|getElementById|querySelector)\b|\bnew\s+DOMParser\b/;

const READS_FILES = /["'](?:node:)?fs(?:\/promises)?["']/;

/** Modules that a compartment does not have. */
const NEEDS_MISSING =
  /["'](?:node:)?(?:child_process|dgram|dns|http|http2|https|net|tls|vm|worker_threads)["']/;
