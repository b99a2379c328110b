import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { fencesOf, stories } from './documents.js';

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

describe.each(stories)('%s', (document) => {
  it('keeps its word, command after command', { timeout: 120_000 }, () => {
    const cwd = temporary();
    const examples = blocks(document, 'sh').flatMap((block) => block.split(/\n(?=[^#])/));
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const [command = '', ...comments] = example.trim().split('\n');
      const [npx, bulkhead, ...args] = words(command);
      expect([npx, bulkhead]).toEqual(['npx', 'bulkhead']);
      const { stdout, status } = run([join(ROOT, 'dist/lib/cli/main.cjs'), ...args], cwd);
      expect({ command, status }).toEqual({
        command,
        status: Number(said(comments, 'exits')[0] ?? 0),
      });
      for (const line of said(comments, 'prints')) expect(stdout).toMatch(patternOf(line));
    }
  });

  it.each(blocks(document, 'ts'))('runs its example of code %#', { timeout: 60_000 }, (code) => {
    const cwd = temporary();
    writeFileSync(join(cwd, 'example.mjs'), code);
    const { stdout, stderr } = run(['example.mjs'], cwd);
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n')).toEqual(
      [...code.matchAll(/\/\/ prints: (.*)$/gm)].map(([, line]) => line),
    );
  });
});

function said(comments: readonly string[], word: string): string[] {
  return comments
    .filter((line) => line.startsWith(`# ${word}: `))
    .map((line) => line.slice(word.length + 4));
}

/** `…` stands for whatever differs from run to run. */
function patternOf(line: string): RegExp {
  const parts = line
    .split('…')
    .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(parts.join('[^]*?'));
}

function blocks(document: string, language: string): string[] {
  return fencesOf(document).flatMap((fence) =>
    fence.language === language ? [fence.text.trim()] : [],
  );
}

function words(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
}

/** Inside the repository, where `bulkhead` is this package, with the examples at hand. */
function temporary(): string {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const directory = mkdtempSync(join(ROOT, '.cache', 'story-'));
  symlinkSync(join(ROOT, 'fixtures'), join(directory, 'fixtures'));
  directories.push(directory);
  return directory;
}

function run(
  args: readonly string[],
  cwd: string,
): { stdout: string; stderr: string; status: number | null } {
  return spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
}
