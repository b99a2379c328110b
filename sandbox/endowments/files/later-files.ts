import type { StorageArea } from '../../wire/storage.js';
import type { EndowmentPowers } from '../endowment.js';
import type { StorageClient } from '../storage/client.js';
import { asFault, isDenied, isMissing, makeFault, refuse } from './faults.js';
import type { Kept, Place } from './mounts.js';
import type { LentFiles } from './lent-files.js';
import { byName, type FileEntry, TOP } from './tree.js';

/** Files as code uses them that waits for each answer. Paths are absolute and normal. */
export interface LaterFiles {
  read(path: string): Promise<Uint8Array>;
  write(path: string, content: Uint8Array): Promise<void>;
  append(path: string, content: Uint8Array): Promise<void>;
  stat(path: string): Promise<FileEntry>;
  list(path: string): Promise<readonly FileEntry[]>;
  mkdir(path: string, recursive: boolean): Promise<void>;
  remove(path: string, recursive: boolean): Promise<void>;
  move(path: string, to: string): Promise<void>;
}

export interface LaterSpec {
  readonly powers: EndowmentPowers;
  readonly place: (path: string) => Place;
  readonly client: (area: StorageArea) => StorageClient;
  readonly lent: LentFiles;
  /** Resolves when everything that was written without waiting is with the host. */
  readonly settled: () => Promise<void>;
}

/** What is read comes from the storage first, and then from the files that were lent. */
export function makeLaterFiles(spec: LaterSpec): LaterFiles {
  const { powers, place, lent } = spec;

  const keep = async <Answer>(path: string, work: KeptWork<Answer>): Promise<Answer> => {
    const { kept } = place(path);
    if (kept === undefined || !powers.grant.storage) throw refuse(powers, path, 'storage');
    try {
      await spec.settled();
      return await work(spec.client(kept.area), kept);
    } catch (error) {
      throw asFault(error, path);
    }
  };

  const either = async <Answer>(
    path: string,
    fromKept: KeptWork<Answer>,
    fromLent: (path: string) => Promise<Answer>,
  ): Promise<Answer> => {
    const { kept, lent: lentPath } = place(path);
    const isKept = kept !== undefined && powers.grant.storage;
    if (!isKept && !powers.grant.filesystem) {
      throw refuse(powers, path, kept?.area === 'data' ? 'storage' : 'filesystem');
    }
    if (isKept) {
      try {
        return await keep(path, fromKept);
      } catch (error) {
        if (!isMissing(error) || !powers.grant.filesystem) throw error;
      }
    }
    try {
      return await fromLent(lentPath);
    } catch (error) {
      const fault = asFault(error, path);
      // Where it may keep files of its own, what it may not read is simply not there.
      throw isKept && isDenied(fault) ? makeFault('ENOENT', path) : fault;
    }
  };

  const stat = (path: string): Promise<FileEntry> =>
    either(
      path,
      async (client, kept) => demand(kept.isTop ? TOP : await client.stat(kept.path), path),
      async (at) => demand(await lent.stat(at), path),
    );
  const isThere = (path: string): Promise<boolean> =>
    stat(path).then(
      () => true,
      (error: unknown) => {
        if (isMissing(error)) return false;
        throw error;
      },
    );

  return {
    read: (path) => either(path, (client, kept) => client.read(kept.path), lent.read),
    stat,
    list: async (path) => {
      const { kept, lent: lentPath } = place(path);
      const lists = [
        ...(powers.grant.filesystem ? [lent.list(lentPath)] : []),
        ...(kept !== undefined && powers.grant.storage
          ? [keep(path, (client) => (kept.isTop ? listTop(client, kept) : client.list(kept.path)))]
          : []),
      ];
      const found = await Promise.allSettled(lists);
      const entries = found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      const [failed] = found.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      if (entries.length > 0) return byName(entries.flat());
      throw failed === undefined ? refuse(powers, path, 'filesystem') : asFault(failed, path);
    },
    write: (path, content) => keep(path, (client, kept) => client.write(kept.path, content)),
    append: (path, content) => keep(path, (client, kept) => client.append(kept.path, content)),
    mkdir: async (path, recursive) => {
      if (!recursive && (await isThere(path))) throw makeFault('EEXIST', path);
      await keep(path, (client, kept) => client.mkdir(kept.path));
    },
    remove: async (path, recursive) => {
      const done = await keep(path, (client, kept) => client.delete(kept.path, recursive));
      if (!done) throw makeFault('ENOENT', path);
    },
    move: async (path, to) => {
      const target = place(to).kept;
      if (target === undefined) throw refuse(powers, to, 'storage');
      if (place(path).kept?.area === target.area) {
        await keep(path, (client, kept) => client.move(kept.path, target.path));
        return;
      }
      // From one area to the other nothing goes but a file.
      const content = await keep(path, (client, kept) => client.read(kept.path));
      await keep(to, (client, kept) => client.write(kept.path, content));
      await keep(path, (client, kept) => client.delete(kept.path));
    },
  };
}

type KeptWork<Answer> = (client: StorageClient, kept: Kept) => Promise<Answer>;

async function listTop(client: StorageClient, { path }: Kept): Promise<readonly FileEntry[]> {
  try {
    return await client.list(path);
  } catch (error) {
    if (isMissing(asFault(error, path))) return [];
    throw error;
  }
}

function demand(entry: FileEntry | undefined, path: string): FileEntry {
  if (entry === undefined) throw makeFault('ENOENT', path);
  return entry;
}
