import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientNamed, CLIENTS } from '../../src/cli/client/clients.js';
import { changeClient } from '../../src/cli/client/install.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { fakeCapabilities } from './fake.js';
import { run } from './in-process.js';

const CURSOR = '.cursor/mcp.json';

/** A home with these files. */
function makeHome(files: Readonly<Record<string, string>> = {}): string {
  const home = makeDirectory();
  for (const directory of ['p', 'plugins']) mkdirSync(join(home, directory));
  writeFileSync(join(home, 'b.json'), '{}');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text, { mode: 0o600 });
  }
  return home;
}

const read = (home: string, path = CURSOR): string => readFileSync(join(home, path), 'utf8');

const THEIRS = `{
  // my own servers
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "some-server"], "env": { "KEY": "s3cret" } }, /* keep */
  },
\t"other": [1,2]
}
`;

describe('bulkhead mcp --install', () => {
  it('shows the change, and writes only what was accepted', async () => {
    const home = makeHome({ [CURSOR]: THEIRS });
    const shown = await run(['mcp', './plugins', '--install', 'cursor'], { home, cwd: home });
    expect(shown.code).toBe(2);
    expect(shown.stdout).toContain(`+ mcpServers.bulkhead: ${process.execPath} `);
    expect(shown.stdout).toContain('Add --accept to write it.');
    expect(shown.stdout).not.toContain('s3cret');
    expect(read(home)).toBe(THEIRS);
  });

  it('keeps comments, spaces and other servers, and --uninstall restores the file', async () => {
    const home = makeHome({ [CURSOR]: THEIRS });
    const install = ['mcp', './plugins', '--config', 'b.json', '--install', 'cursor', '--accept'];
    const written = await run(install, { home, cwd: home });
    expect(written).toMatchObject({ code: 0, stderr: '' });
    expect(written.stdout).toContain('Switch the server on in Cursor');
    const text = read(home);
    for (const kept of ['// my own servers', '/* keep */', '\t"other": [1,2]', '"s3cret"']) {
      expect(text).toContain(kept);
    }
    // As it was started from that directory, which a client does not know.
    expect(text).toContain(`"${join(home, 'plugins')}"`);
    expect(text).toContain(`"${join(home, 'b.json')}"`);
    expect(text).toContain(`"command": "${process.execPath}"`);
    expect(read(home, `${CURSOR}.before-bulkhead`)).toBe(THEIRS);
    expect(statSync(join(home, CURSOR)).mode & 0o777).toBe(0o600);
    const again = await run(install, { home, cwd: home });
    expect(again.stdout).toContain('Cursor needs no change');
    const removed = await run(['mcp', '--uninstall', 'cursor', '--accept'], { home, cwd: home });
    expect(removed.code).toBe(0);
    expect(removed.stdout).toContain('- mcpServers.bulkhead: ');
    expect(read(home).replaceAll(/\s/g, '')).toBe(THEIRS.replaceAll(/\s/g, ''));
  });

  it.each(CLIENTS)('makes the file of %s, if there is none', async (client) => {
    const home = makeHome();
    const { code } = await run(['mcp', 'p', '--install', client, '--accept'], { home, cwd: home });
    expect(code).toBe(0);
    const environment = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
    const machine = { platform: process.platform } as Parameters<typeof clientNamed>[2]['machine'];
    const { file, key, hasType } = clientNamed('', client, { environment, machine });
    const { [key]: servers } = JSON.parse(readFileSync(file, 'utf8'));
    expect(Object.keys(servers)).toEqual(['bulkhead']);
    expect(servers.bulkhead.type).toBe(hasType ? 'stdio' : undefined);
  });

  it('changes the file behind a link, and keeps the link', async () => {
    const home = makeHome({ 'dotfiles/mcp.json': '{}\n' });
    mkdirSync(join(home, '.cursor'));
    symlinkSync(join(home, 'dotfiles/mcp.json'), join(home, CURSOR));
    await run(['mcp', 'p', '--install', 'cursor', '--accept'], { home, cwd: home });
    expect(read(home, 'dotfiles/mcp.json')).toContain('bulkhead');
    expect(read(home)).toContain('bulkhead');
  });

  it.each([
    [['--install', 'emacs'], {}, '--install takes one of claude-desktop, claude-code, cursor'],
    [['--install', 'cursor', '--uninstall', 'cursor'], {}, 'exclude each other'],
    [['--install', 'cursor'], {}, 'There is nothing to serve.'],
    [['missing', '--install', 'cursor'], {}, 'missing cannot be served: '],
    [['--config', 'missing', '--install', 'cursor'], {}, 'missing cannot be read: '],
    [['p'], {}, '--accept belongs to --install or --uninstall'],
    [['p', '--install', 'cursor', '--yes'], {}, 'do not take --yes. Write it into the file of'],
    [
      ['p', '--install', 'cursor'],
      { [CURSOR]: '{"mcpServers":{"bulkhead":{"command":"mine"}}}' },
      'already has a server named bulkhead',
    ],
    [['p', '--install', 'cursor'], { [CURSOR]: '{\n"mcpServers": [}' }, 'line 2 is not JSON'],
    [['p', '--install', 'cursor'], { [CURSOR]: '[]' }, 'it is not an object'],
    [['p', '--install', 'cursor'], { [CURSOR]: '{"mcpServers":3}' }, 'its mcpServers is not an'],
  ])('refuses %j with %j, and changes nothing', async (args, files, message) => {
    const home = makeHome(files);
    const { code, stderr } = await run(['mcp', ...args, '--accept'], { home, cwd: home });
    expect(code).toBe(1);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(message);
    for (const [path, text] of Object.entries(files)) expect(read(home, path)).toBe(text);
  });
});

it('does not overwrite what the client wrote while the person decided', async () => {
  const capabilities = fakeCapabilities({ environment: { HOME: '/home/ada' } });
  let reads = 0;
  const changed = changeClient(
    ['p'],
    { install: 'cursor', accept: true },
    {
      ...capabilities,
      readFile: async () => {
        reads += 1;
        return `{"mcpServers":{"number":{"command":"${reads}"}}}`;
      },
    },
  );
  await expect(changed).rejects.toThrow('Cursor changed /home/ada/.cursor/mcp.json meanwhile.');
  expect([...capabilities.written.keys()]).toEqual(['/home/ada/.cursor/mcp.json.before-bulkhead']);
});

describe('the file of a client', () => {
  const at = (platform: NodeJS.Platform, environment: Record<string, string>) =>
    clientNamed('--install', 'claude-desktop', {
      environment,
      machine: { platform } as Parameters<typeof clientNamed>[2]['machine'],
    }).file;

  it('is where the client looks on each system', () => {
    expect(at('darwin', { HOME: '/Users/a' })).toBe(
      '/Users/a/Library/Application Support/Claude/claude_desktop_config.json',
    );
    expect(at('linux', { HOME: '/home/a' })).toBe(
      '/home/a/.config/Claude/claude_desktop_config.json',
    );
    expect(at('win32', { USERPROFILE: 'C:/a', APPDATA: 'C:/a/Roaming' })).toContain('Roaming');
    expect(() => at('linux', {})).toThrow('there is no home directory: HOME is not set');
  });
});
