import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import type { StorageBroker } from '../../../src/brokers/storage/broker.js';
import { storageOf } from './keeper.js';

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** Counts those of these that remain after garbage collection. */
async function left(of: readonly WeakRef<object>[]): Promise<number> {
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (typeof collect === 'function') collect();
  }
  return of.filter((one) => one.deref() !== undefined).length;
}

/** Writes that many files, and gives what their content was. */
async function write(broker: StorageBroker, count: number): Promise<WeakRef<object>[]> {
  const contents: WeakRef<object>[] = [];
  for (let file = 0; file < count; file += 1) {
    let bytes: Uint8Array | undefined = new Uint8Array(10_000);
    contents.push(new WeakRef(bytes));
    const body: ByteSource = {
      pull: () => {
        const given = bytes;
        bytes = undefined;
        return Promise.resolve(given);
      },
      cancel: () => {},
    };
    const params = { op: 'write', area: 'data', path: `f${file}` };
    await broker.run(params, body, new AbortController().signal);
  }
  return contents;
}

describe('the storage broker', () => {
  it('does not hold written data in memory', async () => {
    const storage = storageOf();
    const contents = await write(storage, 20);
    // The last may still be in a variable that nothing has overwritten.
    expect(await left(contents)).toBeLessThan(5);
    expect(await storage.ask({ op: 'stat', path: 'f0' })).toMatchObject({ bytes: 10_000 });
  });
});
