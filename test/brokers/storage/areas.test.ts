import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StorageAnswer } from '../../../src/brokers/storage/broker.js';
import { directoryNameOf } from '../../../src/brokers/storage/store.js';
import { runs } from '../../property-runs.js';
import { storageOf } from './keeper.js';

describe('areas of a storage', () => {
  it('are apart: the plugin’s directory, each user’s, and the enclave', async () => {
    const { ask } = storageOf();
    await ask({ op: 'write', path: 'a' }, 'data');
    await ask({ op: 'write', area: 'user', user: 'ann', path: 'a' }, 'ann');
    await ask({ op: 'write', area: 'user', user: 'bob', path: 'a' }, 'bob');
    await ask({ op: 'write', area: 'enclave', path: 'a' }, 'key');
    expect(await ask({ op: 'read', path: 'a' })).toBe('data');
    expect(await ask({ op: 'read', area: 'user', user: 'ann', path: 'a' })).toBe('ann');
    expect(await ask({ op: 'read', area: 'user', user: 'bob', path: 'a' })).toBe('bob');
    expect(await ask({ op: 'read', area: 'enclave', path: 'a' })).toBe('key');
    expect(await ask({ op: 'list', path: '', recursive: true })).toHaveLength(1);
  });

  it('of users can have any text as a name, which is not a path', async () => {
    const { ask, root } = storageOf();
    for (const user of ['../../data', '..', '/etc', 'ann', 'ANN', 'a/b', '.', 'é']) {
      await ask({ op: 'write', area: 'user', user, path: 'a' }, user);
      expect(await ask({ op: 'read', area: 'user', user, path: 'a' })).toBe(user);
    }
    expect(readdirSync(root)).toEqual(['notes']);
    expect(readdirSync(join(root, 'notes')).toSorted()).toEqual(
      ['data', 'enclave', 'tmp', 'usage.json', 'users', 'work'].toSorted(),
    );
  });

  it('of users without one are not created by reading', async () => {
    const { ask, refusal, root } = storageOf();
    const ann = { area: 'user', user: 'ann' } as const;
    expect(await ask({ ...ann, op: 'stat', path: 'a' })).toBeNull();
    expect(await ask({ ...ann, op: 'list', path: '' })).toEqual([]);
    expect(await ask({ ...ann, op: 'delete', path: 'a' })).toMatchObject({ done: false });
    expect((await refusal({ ...ann, op: 'read', path: 'a' }))[1]).toMatch(/^ENOENT/);
    expect(existsSync(join(root, 'notes/users/ann'))).toBe(false);
  });

  it('of users require a user', async () => {
    const { refusal } = storageOf();
    for (const user of [undefined, '', 'x'.repeat(257)]) {
      const asked = {
        op: 'read',
        area: 'user',
        path: 'a',
        ...(user === undefined ? {} : { user }),
      };
      expect((await refusal(asked as never))[0]).toBe('STORAGE_DENIED');
    }
  });

  it('in the enclave hold small values under plain keys', async () => {
    const { ask, refusal } = storageOf({ limits: { maxValueBytes: 4 } });
    const key = (path: string) => ({ op: 'write', area: 'enclave', path }) as const;
    await ask(key('API_KEY.v-1'), '1234');
    expect((await refusal(key('API_KEY'), '12345'))[0]).toBe('STORAGE_LIMIT');
    for (const path of ['', '.', '..', 'a/b', 'a b', 'é', 'x'.repeat(129)]) {
      expect([path, (await refusal(key(path), 'x'))[0]]).toEqual([path, 'STORAGE_DENIED']);
    }
    expect(await ask({ op: 'list', area: 'enclave', path: '' })).toMatchObject([
      { name: 'API_KEY.v-1', bytes: 4 },
    ]);
  });

  it('are copied whole, but for what is large, and not again while nothing changes', async () => {
    const { ask } = storageOf({ limits: { maxCopyFileBytes: 4, maxCopyBytes: 6 } });
    await ask({ op: 'write', path: 'a' }, '1234');
    await ask({ op: 'write', path: 'b' }, '12345');
    await ask({ op: 'write', path: 'c/d' }, '12');
    await ask({ op: 'write', path: 'e' }, '1');
    expect(await ask({ op: 'copy' })).toMatchObject({
      generation: 4,
      entries: [
        { name: 'a', held: true },
        { name: 'b', bytes: 5, held: false },
        { name: 'c', kind: 'directory', held: false },
        { name: 'c/d', held: true },
        { name: 'e', held: false },
      ],
      content: '123412',
    });
    expect(await ask({ op: 'copy', since: 4 })).toEqual({ generation: 4 });
    expect(await ask({ op: 'delete', path: 'e' })).toEqual({ done: true, generation: 5 });
    expect(await ask({ op: 'copy', since: 4 })).toMatchObject({ generation: 5 });
  });

  it('are copied for a guest only as fast as it reads the copies', async () => {
    const storage = storageOf({ limits: { maxCopies: 2 } });
    await storage.ask({ op: 'write', path: 'a' }, '1234');
    const { signal } = new AbortController();
    const made: Extract<StorageAnswer, { readonly copy: unknown }>[] = [];
    const all = Array.from({ length: 4 }, async () => {
      const answer = await storage.run({ op: 'copy' }, undefined, signal);
      if ('copy' in answer) made.push(answer);
    });
    await Promise.all(all.slice(0, 2));
    // What is asked later is answered by now, were it not for the copies.
    await storage.ask({ op: 'usage' });
    expect(made).toHaveLength(2);
    made[0]?.copy.content?.cancel('not wanted');
    await all[2];
    const content = made[1]?.copy.content;
    expect(await content?.pull()).toEqual(Buffer.from('1234'));
    expect(made).toHaveLength(3);
    expect(await content?.pull()).toBeUndefined();
    await all[3];
    expect(made).toHaveLength(4);
  });

  it('are listed a few at a time', async () => {
    const storage = storageOf({ limits: { maxLists: 2 } });
    await storage.ask({ op: 'write', path: 'a' }, '1234');
    const store = storage.stores('notes');
    const { area } = store;
    let [begun, ended, most] = [0, 0, 0];
    store.area = (...place) => {
      begun += 1;
      most = Math.max(most, begun - ended);
      return area(...place);
    };
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        await storage.ask({ op: 'list', path: '' });
        ended += 1;
      }),
    );
    expect(begun).toBe(16);
    // The next one begins just before it is told that one has ended.
    expect(most).toBeLessThanOrEqual(4);
  });

  it('of two plugins are always different, whatever the names of the plugins', async () => {
    const first = storageOf({ plugin: '@acme/notes' });
    await first.ask({ op: 'write', path: 'a' }, 'theirs');
    for (const plugin of ['@acme', 'notes', '@ACME/notes', '@acme/notes ', '%40acme%2fnotes']) {
      const other = storageOf({ plugin, stores: first.stores, root: first.root });
      expect([plugin, (await other.refusal({ op: 'read', path: 'a' }))[1]]).toEqual([
        plugin,
        'ENOENT: a does not exist.',
      ]);
    }
  });
});

describe('the name of a directory', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('a', 'A', '.', '..', 'a~b', '%61', '', 'con', 'x'.repeat(200)),
  );

  it('is not a path, not hidden, short, and lower case', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(directoryNameOf(text)).toMatch(/^[a-z0-9_%~-][a-z0-9._%~-]{0,139}$/);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('differs for every other text', () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => a === b || directoryNameOf(a) !== directoryNameOf(b)),
      { numRuns: runs(2000) },
    );
    expect(directoryNameOf('\ud800')).not.toBe(directoryNameOf('\ufffd'));
  });
});
