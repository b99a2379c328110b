import { createHash } from 'node:crypto';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { type FilesystemBroker, makeFilesystemBroker } from '../../brokers/filesystem/broker.js';
import { makeStorageBroker, type StorageBroker } from '../../brokers/storage/broker.js';
import type { Stores } from '../../brokers/storage/store.js';
import { BulkheadError } from '../../errors.js';
import type { Plugin, SeedFile } from '../../plugin/plugin.js';
import { identityOf } from '../grants/identity.js';

/** Bytes of all seeds together. Stops a plugin from being slow to install. */
export const MAX_SEED_BYTES: number = 16 * 1024 * 1024;

/**
 * Puts the files that a plugin brings along into its storage (Spindle manifest, Storage seed files),
 * before any of its code runs. Both ends are brokers: what is read lies in the plugin's directory
 * whatever links say, and what is written in its storage within its quota. A file that is there
 * stays, unless it may be overwritten and the seed is another than the last time.
 *
 * Rejects with `INVALID_MANIFEST` where a seed that is required cannot be had. Others are left out.
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
  try {
    for (const seed of seeds) {
      try {
        const content = await readAll(files, seed, bytesLeft, signal);
        bytesLeft -= content.length;
        await plant(storage, seed, content, signal);
      } catch (error) {
        if (seed.required) throw missing(plugin, seed, error);
      }
    }
  } finally {
    files.close();
    storage.close();
  }
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
  // A user of nobody's: what was last put there, by where.
  const mark = {
    area: 'user',
    user: 'seed files',
    path: createHash('sha256').update(to).digest('hex'),
  };
  const there = await storage.run({ op: 'stat', path: to }, undefined, signal);
  if ('value' in there && there.value !== null) {
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
  const why = error instanceof Error ? error.message : String(error);
  const problem = `storage_seed_files: ${from}, which is required, cannot be put into ${to}: ${why}`;
  return new BulkheadError(
    'INVALID_MANIFEST',
    `${plugin.manifest} of ${plugin.id} is not valid: ${problem}`,
    { file: plugin.manifest, problems: [problem] },
    { cause: error },
  );
}
