import type { StorageRecord } from '../../../src/brokers/record.js';
import { realpathSync, rmSync } from 'node:fs';
import { afterEachTest } from '../../tidying.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import type { DatabaseParams, StorageParams } from '../../../sandbox/wire/storage.js';
import { makeStorageBroker, type StorageBroker } from '../../../src/brokers/storage/broker.js';
import { STORAGE_LIMITS, type StorageLimits } from '../../../src/brokers/limits.js';
import { makeStores, type Stores } from '../../../src/brokers/storage/store.js';
import { makeScratch } from '../../run-directory.js';

const made = new Set<string>();
afterEachTest(() => {
  for (const root of made) rmSync(root, { recursive: true, force: true });
  made.clear();
});

/** A storage directory until the end of the test. */
export function makeRoot(): string {
  const root = realpathSync(makeScratch('storage'));
  made.add(root);
  return root;
}

type TestParams = Partial<StorageParams> | (DatabaseParams & Partial<StorageParams>);

export interface TestStorage extends StorageBroker {
  readonly records: StorageRecord[];
  readonly root: string;
  readonly stores: Stores;
  /** Runs an operation; answers its value, or the text of the file that it read. */
  ask(params: TestParams, content?: string | ByteSource): Promise<unknown>;
  /** The same, for what is refused: its code and its message. */
  refusal(
    params: TestParams,
    content?: string | ByteSource,
  ): Promise<readonly [code: string, message: string]>;
}

/** The storage of a plugin in a directory of the test's own. */
export function storageOf(
  spec: {
    readonly plugin?: string;
    readonly limits?: Partial<StorageLimits>;
    readonly root?: string;
    readonly stores?: Stores;
  } = {},
): TestStorage {
  const root = spec.root ?? makeRoot();
  const stores = spec.stores ?? makeStores(root, { ...STORAGE_LIMITS, ...spec.limits });
  const plugin = spec.plugin ?? 'notes';
  const records: StorageRecord[] = [];
  const broker = makeStorageBroker({
    plugin: { id: plugin, manifest: 'pandora.manifest.json' },
    store: stores(plugin),
    onEvent: (record) => records.push(record),
  });
  const ask = async (params: object, content?: string | ByteSource): Promise<unknown> => {
    const body = typeof content === 'string' ? sourceOf(Buffer.from(content)) : content;
    const answer = await broker.run(params, body, new AbortController().signal);
    if ('copy' in answer) {
      const { content: copied, ...copy } = answer.copy;
      return copied === undefined ? copy : { ...copy, content: await textOf(copied) };
    }
    return 'value' in answer ? answer.value : textOf(answer.content);
  };
  return {
    ...broker,
    root,
    stores,
    records,
    ask,
    refusal: async (params, content) => {
      try {
        return ['allowed', JSON.stringify(await ask(params, content))];
      } catch (error) {
        if (!(error instanceof Error && 'code' in error)) throw error;
        return [String(error.code), error.message];
      }
    },
  };
}

export function sourceOf(...chunks: readonly Uint8Array[]): ByteSource {
  const left = [...chunks];
  return {
    pull: async () => left.shift(),
    cancel: () => {
      left.length = 0;
    },
  };
}

async function textOf(source: ByteSource): Promise<string> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await source.pull(); chunk !== undefined; chunk = await source.pull()) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
