import { createHash } from 'node:crypto';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { StorageEntry } from '../../../sandbox/wire/storage.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { type FilesystemBroker, makeFilesystemBroker } from '../../brokers/filesystem/broker.js';
import { makeStorageBroker, type StorageBroker } from '../../brokers/storage/broker.js';
import type { Stores } from '../../brokers/storage/store.js';
import { BulkheadError, messageOf } from '../../errors.js';
import type { Plugin, SeedFile } from '../../plugin/plugin.js';
import { identityOf } from '../instance/identity.js';

/** Bytes of all seeds together. Stops a plugin that would be slow to install. */
export const MAX_SEED_BYTES: number = 32 * 1024 * 1024;

/** Files and directories of all seeds together. Stops a tree of empty files. */
const MAX_SEED_ENTRIES = 2_000;

/** Nested directories of a seed. The storage has no deeper ones. */
const MAX_SEED_DEPTH = 16;

/**
 * Copies a plugin's seed files and directories into its storage before its code runs (Spindle
 * manifest, Storage seed files). Brokers read and write the files, so links cannot leave the plugin's
 * directory, and the quota applies. What exists stays: a file, or a whole directory. If the seed may
 * overwrite it, each file that has changed since the last time replaces its copy. Rejects with
 * `INVALID_MANIFEST` if a required seed is not available. Other missing seeds are left out.
 */
export async function seedStorage(plugin: Plugin, stores: Stores): Promise<void> {
  const { seeds = [] } = plugin;
  if (seeds.length === 0) return;
  const identity = identityOf(plugin);
  const files = makeFilesystemBroker({
    plugin: identity,
    directory: plugin.directory,
    granted: seeds.map(({ from }) => `./${from}`),
  });
  const storage = makeStorageBroker({ plugin: identity, store: stores(plugin.id) });
  const { signal } = new AbortController();
  let bytesLeft = MAX_SEED_BYTES;
  let entriesLeft = MAX_SEED_ENTRIES;
  try {
    for (const seed of seeds) {
      try {
        const found = await filesOf(files, storage, seed, entriesLeft, signal);
        entriesLeft -= found.length;
        for (const file of found) {
          const content = await readAll(files, file, bytesLeft, signal);
          bytesLeft -= content.length;
          await plant(storage, file, content, signal);
        }
      } catch (error) {
        if (seed.required) throw missing(plugin, seed, error);
      }
    }
  } finally {
    files.close();
    storage.close();
  }
}

/** The files of a seed: itself, or those below a directory that is copied. */
async function filesOf(
  files: FilesystemBroker,
  storage: StorageBroker,
  seed: SeedFile,
  maxEntries: number,
  signal: AbortSignal,
): Promise<readonly SeedFile[]> {
  const entry = await files.inspect({ op: 'stat', path: seed.from }, signal);
  if (!isEntry(entry) || entry.kind !== 'directory') return [seed];
  if (!seed.overwrite && (await exists(storage, seed.to, signal))) return [];
  const found: SeedFile[] = [];
  const walk = async (from: string, to: string, depth: number): Promise<void> => {
    const entries = await files.inspect({ op: 'list', path: from }, signal);
    for (const { name, kind } of Array.isArray(entries) ? entries.filter(isEntry) : []) {
      // guard: seed-tree-capped
      if (found.length >= maxEntries || depth > MAX_SEED_DEPTH) {
        throw new Error(`the seeds are more than ${MAX_SEED_ENTRIES} files, or nested too deep`);
      }
      const file = { ...seed, from: `${from}/${name}`, to: to === '.' ? name : `${to}/${name}` };
      if (kind === 'file') found.push(file);
      else await walk(file.from, file.to, depth + 1);
    }
  };
  await walk(seed.from, seed.to, 1);
  return found;
}

function isEntry(value: unknown): value is StorageEntry {
  return isRecord(value) && typeof value['name'] === 'string';
}

/** The root of the storage always exists. */
async function exists(storage: StorageBroker, path: string, signal: AbortSignal): Promise<boolean> {
  if (path === '.') return true;
  const there = await storage.run({ op: 'stat', path }, undefined, signal);
  return 'value' in there && there.value !== null;
}

async function readAll(
  files: FilesystemBroker,
  { from }: SeedFile,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const { body, bytes } = await files.readFile({ path: from }, signal);
  if (bytes > maxBytes) {
    body.cancel('larger than a seed may be');
    throw new Error(`the seeds are of more than ${MAX_SEED_BYTES} bytes`);
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const part = await body.pull();
    if (part === undefined) return Buffer.concat(parts);
    size += part.length;
    if (size > maxBytes) {
      body.cancel('larger than a seed may be');
      throw new Error(`the seeds are of more than ${MAX_SEED_BYTES} bytes`);
    }
    parts.push(part);
  }
}

async function plant(
  storage: StorageBroker,
  { to, overwrite }: SeedFile,
  content: Buffer,
  signal: AbortSignal,
): Promise<void> {
  const digest = createHash('sha256').update(content).digest('hex');
  // A reserved user of the storage, for the hashes of the last seeds by their destination.
  const mark = {
    area: 'user',
    user: 'seed files',
    path: createHash('sha256').update(to).digest('hex'),
  };
  if (await exists(storage, to, signal)) {
    if (!overwrite || (await readText(storage, mark, signal)) === digest) return;
  }
  await storage.run({ op: 'write', path: to }, sourceOf(content), signal);
  await storage.run({ op: 'write', ...mark }, sourceOf(Buffer.from(digest)), signal);
}

async function readText(
  storage: StorageBroker,
  place: object,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const answer = await storage.run({ op: 'read', ...place }, undefined, signal);
    if (!('content' in answer)) return undefined;
    const parts: Uint8Array[] = [];
    for (;;) {
      const part = await answer.content.pull();
      if (part === undefined) return Buffer.concat(parts).toString('utf8');
      parts.push(part);
    }
  } catch {
    return undefined;
  }
}

function sourceOf(content: Uint8Array): ByteSource {
  let sent = false;
  return {
    pull: async () => {
      if (sent || content.length === 0) return undefined;
      sent = true;
      return content;
    },
    cancel: () => {
      sent = true;
    },
  };
}

function missing(plugin: Plugin, { from, to }: SeedFile, error: unknown): BulkheadError {
  const why = messageOf(error);
  const problem = `storage_seed_files: ${from}, which is required, cannot be put into ${to}: ${why}`;
  return new BulkheadError(
    'INVALID_MANIFEST',
    `${plugin.manifest} of ${plugin.id} is not valid: ${problem}`,
    { file: plugin.manifest, problems: [problem] },
    { cause: error },
  );
}
