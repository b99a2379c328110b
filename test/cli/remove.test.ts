import { describe, expect, it } from 'vitest';
import type { Lockfile } from '../../src/entry-points/lock.js';
import { runFake } from './fake.js';

function bookOf(kept: Set<string>): { readonly lock: Lockfile; readonly did: string[] } {
  const did: string[] = [];
  const lock: Partial<Lockfile> = {
    idOf: (text) => text,
    remove: (id) => void did.push(`remove ${id}`),
    removeStorage: (id) => {
      did.push(`storage ${id}`);
      return Promise.resolve(kept.delete(id));
    },
  };
  return { lock: lock as Lockfile, did };
}

describe('bulkhead remove', () => {
  it('does not delete the stored data of the plugin, and says how to remove it', async () => {
    const { lock, did } = bookOf(new Set(['notes']));
    const { code, stdout } = await runFake(['remove', 'notes'], { lock });
    expect(code).toBe(0);
    expect(stdout.text).toContain('its storage stays (--storage deletes it)');
    expect(did).toEqual(['remove notes']);
  });

  it('removes the data on request once the plugin is not in the lock any more', async () => {
    const { lock, did } = bookOf(new Set(['notes']));
    const first = await runFake(['remove', 'notes', '--storage'], { lock });
    expect(first.stdout.text).toContain('its storage is deleted');
    expect(did).toEqual(['remove notes', 'storage notes']);
    const { stdout } = await runFake(['remove', 'notes', '--storage', '--json'], { lock });
    expect(JSON.parse(stdout.text)).toMatchObject({ ok: true, storage: 'none-removed' });
  });
});
