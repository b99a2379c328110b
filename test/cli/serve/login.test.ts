import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { serveOAuth } from '../../remotes/mcp/oauth-server.js';
import { ended, start } from '../spawned.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-login-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const environment = { HOME: directory, XDG_CONFIG_HOME: join(directory, 'config') };

describe('bulkhead remotes --login', () => {
  it('prints the page, stores the login encrypted, and later commands use it', async () => {
    const server = await serveOAuth();
    const config = join(directory, 'bulkhead.config.json');
    const remotes = [{ mcp: server.url, id: 'house', oauth: true }];
    writeFileSync(config, JSON.stringify({ storageDirectory: 'storage', remotes }));
    const list = ['remotes', '--config', config];
    const before = await ended(start(list, directory, environment));
    expect(before.stdout).toContain('house requires a login. Run: bulkhead remotes --login house');

    const login = start([...list, '--login', 'house'], directory, environment);
    let said = '';
    login.stderr.on('data', (chunk: Buffer) => {
      const seen = said.includes('/authorize');
      said += String(chunk);
      const [page] = /http:\/\/127\.0\.0\.1:\d+\/authorize\S+/.exec(said) ?? [];
      if (page !== undefined && !seen) void fetch(page);
    });
    const [code] = await once(login, 'exit');
    expect(said).toContain('logged in at house');
    expect(code).toBe(0);

    const stored = join(directory, 'storage', '.oauth');
    const bytes = readdirSync(stored).map((name) => readFileSync(join(stored, name), 'latin1'));
    expect(bytes).toHaveLength(1);
    expect(bytes[0]).not.toMatch(/access-|refresh-/);
    const after = await ended(start(list, directory, environment));
    expect(after.stdout).toMatch(/house +mcp +1 +active/);

    await ended(start([...list, '--logout', 'house'], directory, environment));
    expect(readdirSync(stored)).toEqual([]);
  });

  it('names the edit for a server without a login', async () => {
    const config = join(directory, 'plain.json');
    const remotes = [{ command: process.execPath, args: ['-e', '0'], id: 'plain' }];
    writeFileSync(config, JSON.stringify({ storageDirectory: 'storage', remotes }));
    const { stderr, code } = await ended(
      start(['remotes', '--config', config, '--login', 'plain'], directory, environment),
    );
    expect(stderr).toContain('add "oauth": true to the remote plain');
    expect(code).toBe(1);
  });
});
