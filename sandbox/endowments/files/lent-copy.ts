import type { StorageCopy } from '../storage/client.js';
import type { LentFiles } from './lent-files.js';
import { asFault, isDenied, isMissing } from './faults.js';
import type { FileEntry } from './tree.js';

/** What a plugin's own files may be in all, to be copied for code that does not wait. */
const MAX_FILES = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** No data of a plugin's is read from there, and there may be tens of thousands of it. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);

type Entry = StorageCopy['entries'][number];

/**
 * Copies those of the plugin's own files that it may read. Files elsewhere are not copied: a granted
 * prefix may be all of a home directory.
 */
export async function copyLent(lent: LentFiles): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let room = MAX_BYTES;
  const take = async (entry: FileEntry, name: string): Promise<void> => {
    if (entries.length >= MAX_FILES || SKIPPED.has(entry.name)) return;
    if (entry.kind === 'directory') {
      if (name !== '.') entries.push({ ...entry, name, content: undefined });
      for (const below of await orNothing(lent.list(name), [])) {
        await take(below, name === '.' ? below.name : `${name}/${below.name}`);
      }
      return;
    }
    const content = entry.bytes > room ? undefined : await orNothing(lent.read(name), undefined);
    room -= content?.length ?? 0;
    entries.push({ ...entry, name, content });
  };
  for (const root of await orNothing(lent.roots(), [])) await take(root, root.name);
  return entries;
}

/** What went away meanwhile, or is a link out of what is granted, is left out. */
async function orNothing<Value>(work: Promise<Value>, nothing: Value): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    const fault = asFault(error, '');
    if (isMissing(fault) || isDenied(fault)) return nothing;
    throw fault;
  }
}
