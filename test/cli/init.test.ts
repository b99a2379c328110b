import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { run } from './in-process.js';
import { MAIN } from './spawned.js';

const GUIDES = {
  pandora: 'docs/pandora.md',
  vellum: 'docs/vellum.md',
  spindle: 'docs/spindle.md',
  mcp: 'docs/mcp-servers.md',
};

/** What `npm install` puts into a server's project. */
const PACKAGES = ['@modelcontextprotocol/sdk', 'zod', 'zod-to-json-schema', 'ajv', 'ajv-formats'];
const OF_AJV = ['fast-deep-equal', 'fast-uri', 'json-schema-traverse', 'require-from-string'];

describe('bulkhead test', () => {
  it('says what is missing', async () => {
    const cwd = makeDirectory();
    mkdirSync(join(cwd, 'new'));
    expect(await run(['test', 'new'], { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot import bulkhead/testing. Run npm install there.'),
    });
    expect(await run(['test', 'none'], { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no directory none.'),
    });
  });
});

describe('bulkhead init', () => {
  it.each(Object.entries(GUIDES))(
    'makes a %s plugin with which each command of its guide succeeds',
    async (format, guide) => {
      const cwd = makeDirectory();
      const project = join(cwd, 'my-weather');
      const commands = commandsOf(guide);
      expect(commands[0]).toBe(`npx bulkhead init my-weather --format ${format}`);
      for (const command of commands) {
        const [program, name, ...args] = command.split(' ');
        const at = command.includes(' init ') ? cwd : project;
        if (program === 'cd') continue;
        if (command === 'npm install') installInto(project, format);
        else if (command === 'npm test') {
          const { stdout } = await inProject(at, [process.execPath, MAIN, 'test']);
          expect(stdout).toMatch(/^# pass 2$/m);
        } else if (name === 'tsc') {
          await inProject(at, [join(ROOT, 'node_modules/.bin/tsc'), ...args]);
        } else {
          expect(name).toBe('bulkhead');
          const { code, stdout, stderr } = await run(args, { cwd: at });
          expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
          if (args[0] !== 'init') continue;
          expect(stdout).toContain(
            'cd my-weather\n  npm install\n  npm test\n  npx bulkhead dev\n',
          );
          const file = readFileSync(join(project, 'package.json'), 'utf8');
          const { devDependencies, scripts } = JSON.parse(file);
          expect(devDependencies).toHaveProperty('@types/node');
          addFile(project, 'src/stored.ts', `${NODE}export const x = [readFile, home];\n`);
          if (format === 'vellum') {
            const hook = `import type { Stats } from 'node:fs';\nexport default (): Stats[] => [];\n`;
            addFile(project, 'hooks/shutdown.ts', hook);
          }
          expect(devDependencies['bulkhead']).toBe(`file:${ROOT}`);
          const launch = readFileSync(join(project, '.vscode/launch.json'), 'utf8');
          expect(JSON.parse(launch).configurations[0]).toMatchObject({ pauseForSourceMap: true });
          expect(readFileSync(join(project, '.gitignore'), 'utf8')).toContain('node_modules/');
          expect(scripts).toMatchObject({ test: 'node --test', check: 'tsc && bulkhead check .' });
        }
      }
    },
  );

  it.each([
    [['init', 'My Weather', '--format', 'pandora'], 'A plugin cannot be named My Weather.'],
    [['init', 'my-weather', '--format', 'npm'], '--format is npm: write one of pandora, vellum'],
    [['init', 'my-weather'], '--format pandora|vellum|spindle|mcp'],
    [['init'], 'bulkhead init my-weather'],
    [['init', 'full', '--format', 'vellum'], 'it is not empty. Name a new or empty directory.'],
  ])('refuses %j, and makes nothing', async (args, message) => {
    const cwd = makeDirectory();
    mkdirSync(join(cwd, 'full/of'), { recursive: true });
    const { code, stderr } = await run(args, { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(existsSync(join(cwd, 'my-weather'))).toBe(false);
  });
});

/** What the section on writing a plugin says to type. */
function commandsOf(guide: string): readonly string[] {
  const [, session = ''] =
    /^## Write one\n\n```console\n(.*?)^```$/ms.exec(readFileSync(join(ROOT, guide), 'utf8')) ?? [];
  return session
    .trim()
    .split('\n')
    .map((line) => line.replace(/^\$ /, ''));
}

/** What plugins often import, beside globals that the types of a browser and of Node both declare. */
const NODE = `import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
const home = (..._: readonly unknown[]): unknown => [homedir(), new URL('https://a.example'), setTimeout(() => {}, 1), fetch];
`;

function addFile(project: string, path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

function installInto(project: string, format: string): void {
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(ROOT, join(project, 'node_modules/bulkhead'));
  mkdirSync(join(project, 'node_modules/@types'));
  for (const name of ['@types/node', 'undici-types']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  }
  if (format !== 'mcp') return;
  for (const name of [...PACKAGES, ...OF_AJV]) {
    const from = join(ROOT, 'node_modules', name);
    cpSync(from, join(project, 'node_modules', name), { recursive: true, dereference: true });
  }
}

function inProject(cwd: string, [file = '', ...args]: readonly string[]) {
  // Node's runner leaves out files if it believes that it is inside another one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return promisify(execFile)(file, args, { cwd, env });
}
