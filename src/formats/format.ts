import type { FormatName, Plugin } from '../plugin/plugin.js';

/** Reading directories that nobody trusts, as little of it as finding and reading manifests takes. */
export interface ReadPower {
  /**
   * The text of a regular file of at most that many bytes; `undefined` where there is no file.
   * Rejects for a larger one, and for what is no regular file: a pipe would never end.
   */
  readFile(path: string, maxBytes: number): Promise<string | undefined>;
  /** Names in a directory, in any order; `undefined` where there is no directory. */
  listDirectory(path: string): Promise<readonly string[] | undefined>;
  /** The path without symbolic links; `undefined` where nothing is there. */
  realpath(path: string): Promise<string | undefined>;
  /** What is there, links followed; `undefined` where nothing is. */
  stat(path: string): Promise<'file' | 'directory' | 'other' | undefined>;
}

/** How a plugin is declared on disk. */
export interface Format {
  readonly name: FormatName;
  /** Whether the directory holds a plugin of this format, by its files' names alone. */
  detect(power: ReadPower, directory: string): Promise<boolean>;
  /** Throws `INVALID_MANIFEST` and `OUTSIDE_PLUGIN`. */
  read(power: ReadPower, directory: string): Promise<FoundPlugin>;
}

export interface FoundPlugin {
  readonly plugin: Plugin;
  /** What was left out of it because it could not be read, as `path: what is wrong`. */
  readonly problems: readonly string[];
}
