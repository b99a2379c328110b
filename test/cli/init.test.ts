import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { run } from './in-process.js';
import { MAIN } from './spawned.js';

const FORMATS = ['pandora', 'vellum', 'spindle', 'mcp'];

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
  it.each(FORMATS)(
    'makes a %s plugin that compiles, and whose test and check pass',
    async (format) => {
      const cwd = makeDirectory();
      const made = await run(['init', 'my-weather', '--format', format], { cwd });
      expect(made).toMatchObject({ code: 0, stderr: '' });
      expect(made.stdout).toContain(
        'cd my-weather\n  npm install\n  npm test\n  npx bulkhead dev\n',
      );
      const project = join(cwd, 'my-weather');
      const { devDependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
      expect(devDependencies['bulkhead']).toBe(`file:${ROOT}`);
      installInto(project, format);
      const { stdout } = await inProject(project, [process.execPath, MAIN, 'test']);
      expect(stdout).toMatch(/^# pass 2$/m);
      await inProject(project, [join(ROOT, 'node_modules/.bin/tsc'), '-p', '.']);
      // To read the sources of its SDK takes longest. The test has loaded it.
      if (format === 'mcp') return;
      expect(await run(['check', project, '--fail-on', 'note'])).toMatchObject({ code: 0 });
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

function installInto(project: string, format: string): void {
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(ROOT, join(project, 'node_modules/bulkhead'));
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
