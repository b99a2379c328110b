import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirectory } from '../../engine/plugin-on-disk.js';
import { run } from '../in-process.js';

const SOURCE = `import { readFile } from 'node:fs/promises';
const loaded = Date.now();
const tool = (id, execute) => ({ id, name: id, description: id, annotations: { readOnlyHint: true }, execute });
export const tools = [
  tool('age', () => Date.now() - loaded),
  tool('dice', () => Math.random() < 2),
  tool('net', async () => (await fetch('https://api.example.com/x')).status),
  tool('other', async () => (await fetch('https://other.example/x')).status),
  tool('env', (_input, { env }) => env.API_KEY),
  tool('file', async () => (await readFile('./notes.txt', 'utf8')).trim()),
  tool('far', async () => (await readFile('/etc/hostname', 'utf8')).trim()),
];
`;

const MANIFEST = `{
  "manifestVersion": 1,
  "id": "learner",
  "name": "Learner",
  "pandora": ">=1.0.0",
  "provides": { "tools": { "entry": "./index.ts", "permissions": { "network": ["unused.example.com"] } } }
}
`;

function makePlugin(): string {
  const directory = makeDirectory();
  writeFileSync(join(directory, 'pandora.manifest.json'), MANIFEST);
  writeFileSync(join(directory, 'index.ts'), SOURCE);
  writeFileSync(join(directory, 'notes.txt'), 'a note');
  writeFileSync(join(directory, 'hosts.json'), '{"https://api.example.com/*": {}}');
  return directory;
}

const permissionsOf = (directory: string): unknown =>
  JSON.parse(readFileSync(join(directory, 'pandora.manifest.json'), 'utf8')).provides.tools
    .permissions;

describe('bulkhead dev --learn', () => {
  it('writes the least permissions, and says where each is used', async () => {
    const cwd = makePlugin();
    const all = ['age', 'dice', 'net', 'other', 'env', 'file', 'far'];
    const args = ['dev', '--learn', '--mock', 'hosts.json', '--env', 'API_KEY=abc', '--write'];
    const { code, stdout, stderr } = await run(args, { cwd, stdin: `${all.join('\n')}\n` });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^true\n200\nabc\na note\nThe plugin used/m);
    expect(stdout).toMatch(/^ {2}time +index\.ts:2:\d+$/m);
    expect(stdout).toMatch(/^ {2}random +index\.ts:6:\d+$/m);
    expect(stdout).toMatch(/^ {2}env API_KEY +index\.ts:9:\d+$/m);
    expect(stdout).toMatch(/^ {2}network api\.example\.com +index\.ts:7:\d+$/m);
    const [, refused = ''] = stdout.split('It asked in vain');
    expect(refused).toMatch(/^ {2}fs \/etc\/hostname +index\.ts:11:\d+$/m);
    expect(refused).toMatch(/^ {2}network other\.example +index\.ts:8:\d+$/m);
    expect(stderr).toContain('wrote the permissions into');
    expect(permissionsOf(cwd)).toEqual({
      time: true,
      random: true,
      env: ['API_KEY'],
      fs: ['notes.txt'],
      network: ['api.example.com'],
    });
  });

  it('only adds to the request if a tool was not called', async () => {
    const cwd = makePlugin();
    const args = ['dev', '--learn', '--write'];
    const { stderr } = await run(args, { cwd, stdin: 'dice\n' });
    expect(stderr).toContain('not called, so nothing is known about: age, env, far');
    expect(permissionsOf(cwd)).toMatchObject({ network: ['unused.example.com'], random: true });
  });

  it('is needed for --write', async () => {
    const { code, stderr } = await run(['dev', '--write'], { cwd: makePlugin() });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Add --learn.') });
  });
});
