import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ended, run, writePlugin } from '../spawned.js';
import { serve } from './serving.js';

const BROKEN = 'export const tools = [';

const check = (...args: readonly string[]): Promise<Ended> =>
  run(['serve', '--check-config', ...args]);

describe('bulkhead serve --check-config', () => {
  it('exits with 0 for plugins that run, and warns of a directory without a plugin', async () => {
    const { code, stdout, stderr } = await check('--plugins', writePlugin(), '/nowhere/at/all');
    expect([code, stdout]).toEqual([0, 'The configuration is valid: 1 plugin, 1 tool.\n']);
    expect(JSON.parse(stderr)).toMatchObject({ level: 'warn', directory: '/nowhere/at/all' });
  });

  it('exits with 1 and names the plugin that fails', async () => {
    const plugin = writePlugin();
    writeFileSync(join(plugin, 'index.ts'), BROKEN);
    const { code, stdout, stderr } = await check('--plugins', plugin);
    expect([code, stdout]).toEqual([1, '1 problem in 1 plugin: see standard error.\n']);
    expect(JSON.parse(stderr)).toMatchObject({
      level: 'error',
      plugin: 'sample',
      code: 'BUNDLE_FAILED',
    });
  });

  it('exits with 1 for endpoints with one path', async () => {
    const paths = ['--mcp', '/tools', '--vertesia', '/tools'];
    expect((await check('--plugins', writePlugin(), ...paths)).code).toBe(1);
  });
});

describe('a server that reads its plugins again', () => {
  it('says in its log and at /api/plugins which plugin failed, and serves its former version', async () => {
    const plugin = writePlugin();
    const { url, viewToken, child, logged, log } = await serve(['--plugins', plugin]);
    writeFileSync(join(plugin, 'index.ts'), BROKEN);
    child.kill('SIGHUP');
    const line = await logged('reloaded the plugins, and some of them failed');
    expect(line).toMatchObject({ level: 'error', failed: ['sample'] });
    expect(log()).toContainEqual(
      expect.objectContaining({ level: 'error', plugin: 'sample', code: 'BUNDLE_FAILED' }),
    );
    const headers = { authorization: `Bearer ${viewToken}` };
    const listed: unknown = await (await fetch(`${url}/api/plugins`, { headers })).json();
    expect(listed).toMatchObject([{ id: 'sample', problems: [{ code: 'BUNDLE_FAILED' }] }]);
  });
});
