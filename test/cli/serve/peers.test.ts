import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ended, MAIN, writePlugin } from '../spawned.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-peers-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Makes MCP's packages as absent as if they were not installed. */
const hooks = join(directory, 'hooks.mjs');
writeFileSync(
  hooks,
  `export const resolve = (specifier, context, next) => {
    if (!specifier.startsWith('@modelcontextprotocol/')) return next(specifier, context);
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  };`,
);
const register = join(directory, 'register.mjs');
writeFileSync(
  register,
  `import { register } from 'node:module'; register(${JSON.stringify(hooks)}, 'file:///');`,
);

const run = (...args: string[]): ReturnType<typeof ended> =>
  ended(spawn(process.execPath, ['--import', register, MAIN, ...args], { stdio: 'pipe' }));

describe('without MCP’s packages', () => {
  it('says what to install to whom serves MCP', async () => {
    const args = ['--plugins', writePlugin(), '--port', '0', '--mcp', '/mcp'];
    const { code, stderr } = await run('serve', ...args);
    expect(stderr).toContain('npm i @modelcontextprotocol/server@^2.4');
    expect(code).toBe(1);
  });

  it('says the same on standard error, because standard output is the protocol’s', async () => {
    const { code, stderr, stdout } = await run('mcp', writePlugin());
    expect(stderr).toContain('npm i @modelcontextprotocol/server@^2.4');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it('says what to install to whom uses tools of MCP servers', async () => {
    const config = join(directory, 'c.json');
    const remotes = [{ command: 'x', id: 'x' }];
    writeFileSync(config, JSON.stringify({ remotes, storageDirectory: 's' }));
    const { stdout } = await run('remotes', '--config', config);
    expect(stdout).toContain('npm i @modelcontextprotocol/client@^2.4');
  });

  it('runs tools normally for all other commands', async () => {
    const { code, stdout } = await run('call', writePlugin(), 'run', '--input', '{"a":1}');
    expect(code).toBe(0);
    expect(stdout).toContain('"a": 1');
  });
});
