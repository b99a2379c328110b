import type { PluginIdentity } from '../../sandbox/wire/methods.js';
import type { ByteSource } from '../../sandbox/wire/streams.js';
import { makeStorageBroker } from '../brokers/storage/broker.js';
import { makeStores } from '../brokers/storage/store.js';
import { STORAGE_LIMITS } from '../brokers/limits.js';

/** The files that a plugin under test has stored, as its own code would read them. */
export interface TestStorage {
  /** The text of a file; `undefined` if there is none. Rejects for a path that storage refuses. */
  read(path: string): Promise<string | undefined>;
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Names of the files and directories in a directory. Default: the root. */
  list(path?: string): Promise<readonly string[]>;
}

export function openTestStorage(plugin: PluginIdentity, directory: string): TestStorage {
  const stores = makeStores(directory, STORAGE_LIMITS);
  const storage = makeStorageBroker({ plugin, store: stores(plugin.id) });
  const { signal } = new AbortController();
  const exists = async (path: string): Promise<boolean> => {
    const there = await storage.run({ op: 'stat', path }, undefined, signal);
    return 'value' in there && there.value !== null;
  };
  return {
    read: async (path) => {
      if (!(await exists(path))) return undefined;
      const answer = await storage.run({ op: 'read', path }, undefined, signal);
      return 'content' in answer ? (await collect(answer.content)).toString('utf8') : undefined;
    },
    write: async (path, content) => {
      await storage.run({ op: 'write', path }, sourceOf(Buffer.from(content)), signal);
    },
    list: async (path = '') => {
      const answer = await storage.run({ op: 'list', path }, undefined, signal);
      const entries = 'value' in answer && Array.isArray(answer.value) ? answer.value : [];
      return entries.flatMap((entry) => nameOf(entry));
    },
  };
}

function nameOf(entry: unknown): readonly string[] {
  if (typeof entry !== 'object' || entry === null || !('name' in entry)) return [];
  return typeof entry.name === 'string' ? [entry.name] : [];
}

async function collect(source: ByteSource): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const part = await source.pull();
    if (part === undefined) return Buffer.concat(parts);
    parts.push(part);
  }
}

function sourceOf(content: Uint8Array): ByteSource {
  let left: Uint8Array | undefined = content.length === 0 ? undefined : content;
  return {
    pull: async () => {
      const part = left;
      left = undefined;
      return part;
    },
    cancel: () => {
      left = undefined;
    },
  };
}
