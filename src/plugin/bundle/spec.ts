import type { Surface } from '../plugin.js';

/** The plugin and the options of a bundle. */
export interface BundleSpec {
  /** The plugin's directory. No file outside it is read. */
  readonly directory: string;
  /**
   * The entry: a file, relative to the directory; the text of a module that is not on disk, which
   * resolves imports from the directory; or several files that are each loaded separately.
   */
  readonly entry:
    | { readonly file: string }
    | { readonly source: string }
    | { readonly surfaces: readonly Surface[] };
  /** Specifiers of modules that the guest provides. They are not resolved on disk. */
  readonly virtualModules?: readonly string[];
  /**
   * The implementation of Node's modules: powerless replacements for a compartment, or (`real`)
   * Node's own, for a plugin that the operator allows to run without one. Default: `powerless`.
   */
  readonly builtins?: 'powerless' | 'real';
  /** Whether the code is rewritten for SES. Without it, the code can be read and not run. Default: true. */
  readonly rewrite?: boolean;
  /** Which npm packages are built separately from the plugin's own code. Default: none, all is one text. */
  readonly separate?: Separation;
  /** Which of their builds npm packages use, by name. Default: chosen for each by what its files need. */
  readonly packageBuilds?: Readonly<Record<string, PackageBuild>>;
  readonly limits?: Partial<BundleLimits>;
}

/**
 * Each npm package separately, except those in `together` (directories such as `node_modules/x`), which become part of
 * the plugin's own code; or all of them as one unit, which needs not be built again when the plugin's own code changes.
 */
export type Separation = { readonly together: readonly string[] } | 'installed';

/** The build of an npm package that has one for Node and one for browsers. */
export type PackageBuild = 'node' | 'browser';

/** Caps on a plugin's files. */
export interface BundleLimits {
  /** Bytes of one file. Stops a file larger than any that a person or a tool writes. */
  readonly maxFileBytes: number;
  /** Bytes of all files. The parsers need about 50 times as much memory. */
  readonly maxTotalBytes: number;
  /** Files in one bundle. Stops a chain of a million small modules. */
  readonly maxFiles: number;
  /** Lookups of paths. Stops a tree in which every lookup fails many times. */
  readonly maxLookups: number;
  /** Milliseconds of processor time for one bundle. After that its processes are killed. */
  readonly processorMs: number;
  /** Milliseconds for one bundle on a busy machine. After that its processes are killed. */
  readonly deadlineMs: number;
}

export const BUNDLE_LIMITS: BundleLimits = {
  maxFileBytes: 12 * 1024 * 1024,
  maxTotalBytes: 32 * 1024 * 1024,
  maxFiles: 20_000,
  maxLookups: 50_000,
  processorMs: 30_000,
  deadlineMs: 300_000,
};
