import { mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seal } from '../../src/audit/chain.js';
import { makeJsonlStore } from '../../src/audit/disk/jsonl-store.js';
import { verify } from '../../src/audit/verify.js';
import { freshDirectory } from './logs.js';

describe('a full file of the log', () => {
  it('is followed by the next file, also after creating that file failed', async () => {
    const directory = freshDirectory();
    mkdirSync(directory);
    const store = makeJsonlStore(join(directory, 'audit.jsonl'), { maxFileBytes: 400 });
    let { head } = await store.open();
    const put = async (): Promise<void> => {
      const message = 'm'.repeat(200);
      const entry = { type: 'alert', atMs: 1, plugin: 'p', level: 'info', message } as const;
      const sealed = seal(head, entry);
      await store.append([sealed], true);
      head = sealed.record;
    };
    await put();
    // A directory has the name of the full file.
    const obstacle = join(directory, 'audit.000000000001.jsonl');
    mkdirSync(obstacle);
    await expect(put()).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
    await expect(put()).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
    rmdirSync(obstacle);
    await put();
    await put();
    expect(readdirSync(directory).filter((name) => name.endsWith('.jsonl'))).toHaveLength(3);
    expect(await verify(store.read())).toMatchObject({ ok: true, records: 3 });
    await store.close();
  });
});
