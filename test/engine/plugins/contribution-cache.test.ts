import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BulkheadEvent } from '../../../src/index.js';
import type { Instance } from '../../../src/engine/instance/instance.js';
import { diskReader } from '../../../src/engine/node/disk-reader.js';
import { makeContributionCache } from '../../../src/engine/plugins/contribution-cache.js';
import { readSettings } from '../../../src/engine/settings.js';
import { readPlugin } from '../../../src/formats/discover.js';
import { NO_PERMISSIONS } from '../../../src/permissions/permissions.js';
import { makeDirectory, makePlugin, startEngine } from '../plugin-on-disk.js';

const ECHO = { echo: '(input) => input' };

const starts = (events: readonly BulkheadEvent[]): number =>
  events.filter(({ type }) => type === 'guest-started').length;

describe('what plugins offer', () => {
  it('is cached by content: a second engine starts no guest until the first call', async () => {
    const directory = makePlugin({ id: 'kept', tools: ECHO });
    const cacheDirectory = makeDirectory();
    await (await startEngine([directory], { cacheDirectory })).close();
    const events: BulkheadEvent[] = [];
    const engine = await startEngine([directory], {
      cacheDirectory,
      onEvent: (event) => events.push(event),
    });
    expect(engine.catalog.list().map(({ name }) => name)).toEqual(['kept__echo']);
    expect(starts(events)).toBe(0);
    await engine.call('echo', {});
    expect(starts(events)).toBe(1);
  });

  it('is queried again if a granted variable changed', async () => {
    const directory = makePlugin({
      id: 'dynamic',
      permissions: { env: ['WORD'] },
      source: `export const tools = [];
        export const resolveTools = ({ env }) => ({
          tools: [{ id: env.WORD, name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: () => 1 }],
          alerts: [{ level: 'info', message: 'using ' + env.WORD }],
        });`,
    });
    for (const WORD of ['one', 'two']) {
      const engine = await startEngine([directory], { env: { WORD } });
      expect(engine.catalog.list().map(({ tool }) => tool)).toEqual([WORD]);
      expect(engine.plugins()[0]?.alerts).toEqual([{ level: 'info', message: `using ${WORD}` }]);
      expect((await engine.call(WORD, {})).value).toBe(1);
    }
  });

  it('is not trusted in the cache: a broken file is created again', async () => {
    const directory = makePlugin({ id: 'tampered', tools: ECHO });
    const cacheDirectory = makeDirectory();
    await (await startEngine([directory], { cacheDirectory })).close();
    const offers = join(cacheDirectory, 'offers');
    for (const file of readdirSync(offers)) writeFileSync(join(offers, file), '{"tools":');
    const engine = await startEngine([directory], { cacheDirectory });
    expect((await engine.call('echo', { x: 1 })).value).toEqual({ x: 1 });
  });
});

describe('reload', () => {
  it('reads changed plugins, and ends calls under way in the guest that they began in', async () => {
    const directory = makePlugin({
      id: 'changing',
      tools: { version: '() => 1', slow: '() => new Promise((r) => setTimeout(() => r(1), 400))' },
    });
    const engine = await startEngine([directory]);
    const slow = engine.call('slow', {});
    makePlugin({ id: 'changing', tools: { version: '() => 2', added: '() => 3' } }, directory);
    let changes = 0;
    engine.catalog.on('change', () => (changes += 1));
    await Promise.all([engine.reload(), engine.reload()]);
    expect(changes).toBe(2);
    expect((await engine.call('version', {})).value).toBe(2);
    expect((await engine.call('added', {})).value).toBe(3);
    expect((await slow).value).toBe(1);
  });
});

describe('the listing', () => {
  it('is what Pandora shows at /api/plugins, with alerts and resolved tools', async () => {
    const directory = makePlugin({
      id: 'listed',
      manifest: {
        version: '1.2.3',
        envVars: [{ name: 'KEY', required: false }],
        configFields: [{ key: 'secret', label: 'Secret', type: 'password' }],
      },
      source: `export const tools = [];
        export const resolveTools = async () => ({
          tools: [{ id: 'made', name: 'Made', description: 'd', annotations: { readOnlyHint: true }, execute: () => 1 }],
          alerts: [{ level: 'warning', message: 'no key' }],
        });`,
    });
    const engine = await startEngine([directory], { config: { listed: { secret: 'hunter2' } } });
    expect(engine.listing()).toMatchObject([
      {
        id: 'listed',
        version: '1.2.3',
        envVars: [{ name: 'KEY', required: false, configured: false }],
        enabled: true,
        provides: {
          tools: {
            toolIds: ['listed:made'],
            alerts: [{ level: 'warning', message: 'no key' }],
          },
        },
      },
    ]);
    expect(JSON.stringify(engine.listing())).not.toContain('hunter2');
  });

  it('is queried again by another version of the code of guests', async () => {
    const names: string[] = [];
    const texts = {
      read: (name: string) => {
        names.push(name);
        return '{"tools":[]}';
      },
      store: async () => {},
      whenStored: async () => {},
    };
    const settings = readSettings({ plugins: [], env: {} });
    const directory = makePlugin({ id: 'kept', tools: ECHO });
    const { plugin } = await readPlugin(diskReader, directory);
    const grant = { permissions: NO_PERMISSIONS };
    const open: Instance = Object.assign(Object.create(null), {
      bundle: { hash: 'sha512-x' },
      entry: plugin.entries[0],
      grant,
      secrets: [],
    });
    for (const guest of ['1', '1', '2']) {
      expect(await makeContributionCache(texts, settings, guest).of(plugin, open, {})).toEqual({
        tools: [],
      });
    }
    expect(names[0]).toBe(names[1]);
    expect(names[2]).not.toBe(names[0]);
  });
});
