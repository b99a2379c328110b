import { describe, expect, it } from 'vitest';
import type { LockBook } from '../../src/index.js';
import { runFake } from './fake.js';

function bookOf(kept: Set<string>): { readonly lock: LockBook; readonly did: string[] } {
  const did: string[] = [];
  const lock: Partial<LockBook> = {
    idOf: (text) => text,
    remove: (id) => void did.push(`remove ${id}`),
    removeStorage: (id) => {
      did.push(`storage ${id}`);
      return Promise.resolve(kept.delete(id));
    },
  };
  return { lock: lock as LockBook, did };
}

describe('bulkhead remove', () => {
  it('leaves what the host keeps for the plugin, and says how to remove it', async () => {
    const { lock, did } = bookOf(new Set(['notes']));
    const { code, stdout } = await runFake(['remove', 'notes'], { lock });
    expect(code).toBe(0);
    expect(stdout.text).toContain('its storage stays (--storage removes it, too)');
    expect(did).toEqual(['remove notes']);
  });

  it('removes that once the plugin is not in the lock any more, where it is told to', async () => {
    const { lock, did } = bookOf(new Set(['notes']));
    const first = await runFake(['remove', 'notes', '--storage'], { lock });
    expect(first.stdout.text).toContain('its storage is removed');
    expect(did).toEqual(['remove notes', 'storage notes']);
    const { stdout } = await runFake(['remove', 'notes', '--storage', '--json'], { lock });
    expect(JSON.parse(stdout.text)).toMatchObject({ ok: true, storage: 'none-removed' });
  });
});
