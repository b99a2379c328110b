/**
 * Guest → host: one operation in the plugin's own storage. Paths are relative to the area, with `/`
 * between segments; `null` says that a file is missing.
 *
 * ```
 *   read   { path }                 → { body: stream id, bytes }
 *   write  { path, body }           → Changed     the whole file, at once or not at all
 *   append { path, body }           → Changed
 *   list   { path, recursive? }     → StorageEntry[], names relative to the path, sorted
 *   stat   { path }                 → StorageEntry | null
 *   mkdir  { path }                 → Changed     with the directories on the way
 *   delete { path, recursive? }     → Changed     done: whether anything was there
 *   move   { path, to, replace? }   → Changed
 *   usage  {}                       → { bytes, files, maxBytes, maxFiles }
 *   copy   { since? }               → { generation, entries?, body? }   all of an area: entries that are
 *                                     `held` have their content in the stream, one after the other;
 *                                     neither where nothing has changed since
 *   db-…                            → a database: see `DatabaseParams`
 * ```
 */
export interface StorageParams {
  readonly op: StorageOp;
  /** Default: `data`. */
  readonly area?: StorageArea;
  /** The user, in the area `user`: any text. It is not a path. */
  readonly user?: string;
  readonly path?: string;
  readonly to?: string;
  /** The id of the stream that carries the content. */
  readonly body?: number;
  readonly recursive?: boolean;
  /** Whether what is at `to` may be replaced. Default: true. */
  readonly replace?: boolean;
  /** The generation of the guest's copy. If it is current, nothing is copied. */
  readonly since?: number;
}

export type StorageOp =
  | 'read'
  | 'write'
  | 'append'
  | 'list'
  | 'stat'
  | 'mkdir'
  | 'delete'
  | 'move'
  | 'usage'
  | 'copy'
  | DatabaseParams['op'];

/**
 * Guest → host, synchronous: one step on the database file at `path`. A stamp names the content: a step
 * fails with EBUSY if the file has another one by now.
 *
 * ```
 *   db-state    {}                         → { stamp, bytes }, or ENOENT
 *   db-create   {}                         → { stamp, bytes }: an empty file, unless it exists
 *   db-read     { stamp, offset, length }  → { body, bytes }
 *   db-reserve  { stamp }                  → { token }: waits for the turn of another writer to end
 *   db-commit   { stamp, token, size, kept, runs, body }  → { stamp, bytes }: all or nothing
 *   db-release  { token }                  → null
 * ```
 */
export type DatabaseParams =
  | { readonly op: 'db-state' | 'db-create' }
  | {
      readonly op: 'db-read';
      readonly stamp: string;
      readonly offset: number;
      readonly length: number;
    }
  | { readonly op: 'db-reserve'; readonly stamp: string }
  | {
      readonly op: 'db-commit';
      readonly stamp: string;
      readonly token: string;
      /** The file's size afterwards. */
      readonly size: number;
      /** Bytes of the file before that stay. */
      readonly kept: number;
      /** Offsets and lengths of the parts that the content replaces, in order. */
      readonly runs: readonly (readonly [offset: number, length: number])[];
      readonly body: number;
    }
  | { readonly op: 'db-release'; readonly token: string };

/**
 * `data`: the plugin's directory. `work`: what it writes elsewhere, beside its own files and in
 * temporary places. `user`: one for each user. `enclave`: small values by key.
 */
export type StorageArea = 'data' | 'work' | 'user' | 'enclave';

export interface StorageEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory';
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** The storage after a change. */
export interface StorageChanged {
  readonly done: boolean;
  /** Grows by one with every change by any guest of the plugin. */
  readonly generation: number;
}

/** The directory of a plugin's storage, as its code sees it. */
export function storageDirectoryOf(plugin: string): string {
  return `/workspace/plugins/${plugin.replace(/^@[^/]*\//, '')}/data`;
}

/**
 * Guest → host: inspects a path through the filesystem broker. `stat` answers a `StorageEntry` or
 * `null`; `list` the entries of a directory without links.
 */
export interface StatFileParams {
  readonly op: 'list' | 'stat';
  /** As in `ReadFileParams`. */
  readonly orMissing?: true;
  readonly path: string;
}

/**
 * Guest → host: changes a file in a writable mount. Answers `{ done }`: whether anything was there. A
 * `write` replaces the whole file; `write`, `append` and `mkdir` make missing directories.
 */
export interface ChangeFileParams {
  readonly op: 'write' | 'append' | 'mkdir' | 'delete' | 'move';
  readonly path: string;
  readonly to?: string;
  readonly recursive?: boolean;
  /** The id of the stream that carries the content. */
  readonly body?: number;
}
