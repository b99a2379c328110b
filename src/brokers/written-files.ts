import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** The calls that made a change, as far as the host knows. They all have the same tenant. */
export interface FileMaker {
  /** Ids of the calls. If there are several, one of them made the change. */
  readonly calls: readonly string[];
  readonly tenant: string | undefined;
}

/** A file that calls of a plugin wrote. */
export interface WrittenFile {
  /** Random. Changed content gets another id. */
  readonly id: string;
  /** The calls that wrote it. If there are several, one of them or each of them wrote it. */
  readonly calls: readonly string[];
  readonly tenant: string | undefined;
  /** The path as the plugin writes it. */
  readonly path: string;
  readonly bytes: number;
  /** `fileStamp` after the last write. */
  readonly stamp: string;
  /** Whether later changes are made in the same file. Others replace it, or append. */
  readonly isPatched: boolean;
  /** Opens the file inside the plugin's places. Rejects like the broker that wrote it. */
  readonly open: () => Promise<{ readonly handle: FileHandle; readonly bytes: number }>;
}

/**
 * One change, before it is made. Keys are paths that identify files across the calls of a plugin. A
 * `patch` changes parts of a file: the rest stays.
 */
export type NotedChange =
  | { readonly op: 'write' | 'append' | 'patch' | 'delete'; readonly key: string }
  | { readonly op: 'move'; readonly key: string; readonly to: string };

/**
 * How a change ended: with this content, or (`undefined`) without an effect. `bytes` are the bytes that
 * were appended, else those of the whole file. `stamp` is that of the file, and empty if there is none.
 */
export type ChangeEnd =
  | { readonly bytes: number; readonly existed: boolean; readonly stamp: string }
  | undefined;

/**
 * The files that the calls of one plugin wrote, since the engine was created. A file belongs to one
 * tenant. If calls of others, or work between calls, also wrote its content, it belongs to none and
 * is not listed.
 */
export interface WrittenFiles {
  list(): readonly WrittenFile[];
  /** The file of that id, if its content has not changed since. */
  get(id: string): WrittenFile | undefined;
  /**
   * Notes that a change begins. Until the returned function ends it, its files are not listed.
   * `describe` returns the path and the opener of a key.
   */
  changing(
    change: NotedChange,
    maker: FileMaker | undefined,
    describe: (key: string) => Pick<WrittenFile, 'path' | 'open'>,
  ): (end: ChangeEnd) => void;
}

/** Remembered files of one plugin. The oldest is forgotten first. */
const MAX_FILES = 1_000;

/** Calls that one file names: the last ones. */
const MAX_CALLS = 16;

export function makeWrittenFiles(): WrittenFiles {
  const byKey = new Map<string, WrittenFile>();
  const byId = new Map<string, WrittenFile>();

  const take = (key: string): WrittenFile | undefined => {
    const found = byKey.get(key);
    if (found === undefined) return undefined;
    byKey.delete(key);
    byId.delete(found.id);
    return found;
  };
  const put = (key: string, file: WrittenFile): void => {
    take(key);
    byKey.set(key, file);
    byId.set(file.id, file);
    const [oldest] = byKey.keys();
    // guard: written-files-bounded
    if (byKey.size > MAX_FILES && oldest !== undefined) take(oldest);
  };
  /** A directory is deleted, moved or replaced with all that is below it. */
  const takeTree = (top: string): readonly (readonly [key: string, file: WrittenFile])[] =>
    [...byKey].filter(([key]) => {
      const isBelow = key === top || key.startsWith(`${top}/`);
      if (isBelow) take(key);
      return isBelow;
    });

  return {
    list: () => [...byKey.values()],
    get: (id) => byId.get(id),
    changing: (change, maker, describe) => {
      const { op, key } = change;
      const before = takeTree(key);
      const replaced = op === 'move' ? takeTree(change.to) : [];
      return (end) => {
        if (end === undefined) {
          for (const [path, file] of [...before, ...replaced]) put(path, file);
        } else if (op === 'move') {
          for (const [path, file] of before) {
            const to = `${change.to}${path.slice(key.length)}`;
            const mover = maker?.tenant === file.tenant ? maker : undefined;
            put(to, { ...file, id: randomUUID(), calls: joined(file, mover), ...describe(to) });
          }
        } else if (op !== 'delete' && maker !== undefined) {
          const hasMore = op !== 'write' && end.existed;
          const former = hasMore ? before[0]?.[1] : undefined;
          // guard: appended-file-of-one-tenant
          if (hasMore && !isOf(former, maker)) return;
          const { tenant } = maker;
          const bytes = (op === 'append' ? (former?.bytes ?? 0) : 0) + end.bytes;
          put(key, {
            id: randomUUID(),
            calls: joined(former, maker),
            tenant,
            bytes,
            stamp: end.stamp,
            isPatched: op === 'patch',
            ...describe(key),
          });
        }
      };
    },
  };
}

/**
 * The files of a tenant whose storage is its own. Without it, a file of another tenant with the same
 * path would replace the tenant's file.
 */
export function writtenBy(
  tenant: string | undefined,
  written: WrittenFiles | undefined,
): WrittenFiles | undefined {
  if (tenant === undefined || written === undefined) return written;
  const prefix = `tenant ${JSON.stringify(tenant)}:`;
  return {
    list: written.list,
    get: written.get,
    changing: (change, maker, describe) =>
      written.changing(
        change.op === 'move'
          ? { ...change, key: `${prefix}${change.key}`, to: `${prefix}${change.to}` }
          : // guard: written-files-of-one-tenant
            { ...change, key: `${prefix}${change.key}` },
        maker,
        (key) => describe(key.slice(prefix.length)),
      ),
  };
}

function isOf(file: WrittenFile | undefined, { tenant }: FileMaker): boolean {
  return file !== undefined && file.tenant === tenant;
}

function joined(
  file: Pick<WrittenFile, 'calls'> | undefined,
  maker: FileMaker | undefined,
): readonly string[] {
  return [...new Set([...(file?.calls ?? []), ...(maker?.calls ?? [])])].slice(-MAX_CALLS);
}
