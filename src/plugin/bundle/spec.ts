import type { Surface } from '../plugin.js';

/** What to bundle. */
export interface BundleSpec {
  /** The plugin's directory. Nothing outside it is read, whatever the plugin's files say. */
  readonly directory: string;
  /**
   * Where to begin: a file, relative to the directory; the text of a module that is not on disk and
   * resolves as if it lay in the directory; or several files, each of which is loaded by itself.
   */
  readonly entry:
    | { readonly file: string }
    | { readonly source: string }
    | { readonly surfaces: readonly Surface[] };
  /** Specifiers that the guest provides: they are not looked for on disk. */
  readonly virtualModules?: readonly string[];
  /**
   * What the modules of Node are: powerless stand-ins for the inside of a compartment, or (`real`)
   * Node's own, for a plugin that the operator lets run without one. Default: `powerless`.
   */
  readonly builtins?: 'powerless' | 'real';
  readonly limits?: Partial<BundleLimits>;
}

/** Caps on what a plugin's files may cost the host. */
export interface BundleLimits {
  /** Bytes of one file. Stops a file that is larger than any that a person or a tool writes. */
  readonly maxFileBytes: number;
  /** Bytes of all files together: the parsers need some fifty times as much memory. */
  readonly maxTotalBytes: number;
  /** Files that go into one bundle. Stops a chain of a million tiny modules. */
  readonly maxFiles: number;
  /** Paths that are looked up. Stops a tree in which every lookup fails many times. */
  readonly maxLookups: number;
  /** Time that one bundle may take. Then the process that makes it is killed. */
  readonly deadlineMs: number;
}

export const BUNDLE_LIMITS: BundleLimits = {
  maxFileBytes: 12 * 1024 * 1024,
  maxTotalBytes: 32 * 1024 * 1024,
  maxFiles: 20_000,
  maxLookups: 50_000,
  deadlineMs: 30_000,
};
