import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { STORAGE_LIMITS } from '../../../src/brokers/limits.js';
import { directoryNameOf, makeStores, removeStore } from '../../../src/brokers/storage/store.js';

const root = mkdtempSync(join(tmpdir(), 'bulkhead-removal-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function keep(plugin: string): Promise<string> {
  const stores = makeStores(root, STORAGE_LIMITS);
  await using area = await stores(plugin).area('data', '');
  writeFileSync(area.pathOf('diary'), plugin);
  return join(root, directoryNameOf(plugin));
}

describe('the stored data of a plugin', () => {
  it.each(['notes', '@scope/notes', '../elsewhere', '..', '.'])(
    'is removed with it, and no other plugin’s data: %s',
    async (plugin) => {
      const neighbour = await keep('neighbour');
      const place = await keep(plugin);
      expect(await removeStore(root, plugin)).toBe(true);
      expect(existsSync(place)).toBe(false);
      expect(readFileSync(join(neighbour, 'data', 'diary'), 'utf8')).toBe('neighbour');
      expect(await removeStore(root, plugin)).toBe(false);
    },
  );

  it('is not what a link in its place leads to', async () => {
    const elsewhere = join(root, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'a'), 'a');
    symlinkSync(elsewhere, join(root, directoryNameOf('linked')));
    expect(await removeStore(root, 'linked')).toBe(true);
    expect(existsSync(join(elsewhere, 'a'))).toBe(true);
  });
});
