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
  | 'copy';

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
