import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeDirectories, makeDirectoriesSync } from '../src/make-directories.js';

const root = mkdtempSync(join(tmpdir(), 'bulkhead-make-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const place = (): string => mkdtempSync(join(root, 'd-'));

const forms = [
  ['makeDirectories', makeDirectories],
  ['makeDirectoriesSync', async (path: string, mode?: number) => makeDirectoriesSync(path, mode)],
] as const;

describe.each(forms)('%s', (name, make) => {
  it('makes what is missing, each with the mode', async () => {
    const path = join(place(), 'a', 'b', 'c');
    await make(path, 0o700);
    for (const made of [path, join(path, '..'), join(path, '../..')]) {
      expect(statSync(made).mode & 0o777).toBe(0o700);
    }
    await make(path, 0o755);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('follows a link to a directory', async () => {
    const at = place();
    symlinkSync(place(), join(at, 'link'));
    await make(join(at, 'link', 'inside'));
    expect(existsSync(join(at, 'link', 'inside'))).toBe(true);
  });

  it('makes the same directories many times at once', async () => {
    const path = join(place(), 'a', 'b', 'c');
    await Promise.all(Array.from({ length: 20 }, async () => make(path)));
    expect(existsSync(path)).toBe(true);
  });

  it.each([
    ['a file', 'file', 'EEXIST'],
    ['below a file', 'file/x', 'ENOTDIR'],
    ['below a link to nothing', 'link/x/y', 'EEXIST'],
  ])('throws for %s', async (_, path, code) => {
    const at = place();
    writeFileSync(join(at, 'file'), '');
    symlinkSync('nowhere', join(at, 'link'));
    await expect(make(join(at, path))).rejects.toMatchObject({ code });
  });

  // In a process of its own, because Node's own way would never end.
  it.runIf(process.platform === 'linux')('ends where nothing can be made', () => {
    const built = new URL('../dist/src/make-directories.js', import.meta.url).href;
    const code = `import { ${name} as make } from ${JSON.stringify(built)};
      try { await make('/proc/bulkhead/x'); } catch (error) { console.log(error.code); }`;
    const args = ['--input-type=module', '--eval', code];
    const options = { encoding: 'utf8', timeout: 10_000, killSignal: 'SIGKILL' } as const;
    expect(execFileSync(process.execPath, args, options).trim()).toBe('ENOENT');
  });
});

it("is used instead of Node's own everywhere", () => {
  const source = new URL('../src/', import.meta.url);
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  expect(files).toContain('make-directories.ts');
  const others = files.filter((file) =>
    /\bmkdir(?:Sync)?\([^;]*\brecursive: true/.test(readFileSync(new URL(file, source), 'utf8')),
  );
  expect(others).toEqual([]);
});
