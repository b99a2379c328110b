/**
 * Guest → host: one operation in the plugin's own storage. Paths are relative to the area, with `/`
 * between segments; what is missing is told by `null` where a plugin asks whether it is there.
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
  /** Whose, in the area `user`: any text, which is no path. */
  readonly user?: string;
  readonly path?: string;
  readonly to?: string;
  /** The id of the stream that carries the content. */
  readonly body?: number;
  readonly recursive?: boolean;
  /** Whether what is at `to` may be replaced. Default: true. */
  readonly replace?: boolean;
  /** The generation of the copy that the guest has: where it is still that, nothing is copied. */
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
 * temporary places. `user`: one for each of its users. `enclave`: small values by key.
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
  /** Grows by one with every change of any of the plugin's guests. */
  readonly generation: number;
}

/** The directory for a plugin's data, by the name that its code is told: where its storage begins. */
export function storageDirectoryOf(plugin: string): string {
  return `/workspace/plugins/${plugin.replace(/^@[^/]*\//, '')}/data`;
}

/**
 * Guest → host: looks at a path through the filesystem broker. Answers a `StorageEntry`, or `null`
 * where nothing is there; for `list` those in a directory, links left out; for `roots` those that are
 * granted by name in the plugin's own directory, each named by its path.
 */
export interface LookFileParams {
  readonly op: 'list' | 'stat' | 'roots';
  /** `.` for `roots`. */
  readonly path: string;
}
