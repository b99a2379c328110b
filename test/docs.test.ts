import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readText, ROOT } from './architecture/sources.js';
import { claims } from './docs/claims.js';
import { documents, fencesOf, stories } from './docs/documents.js';

const runnable = documents.filter(
  (document) =>
    !stories.includes(document) &&
    fencesOf(document).some(({ language }) => language === 'ts' || language === 'sh'),
);

const directories: string[] = [];

it.each(documents)('%s has links that lead somewhere', (document) => {
  const links = linksOf(readText(document));
  expect(links.filter((link) => !leads(document, link))).toEqual([]);
});

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

describe.each(runnable)('%s', (document) => {
  const text = readText(document);

  it.each(blocks(document, 'ts'))('runs its example of code %#', { timeout: 60_000 }, (code) => {
    // Inside the repository, where `bulkhead` is this package.
    const directory = temporary();
    writeFileSync(join(directory, 'example.mjs'), code);
    const { stdout, stderr } = run([join(directory, 'example.mjs')]);
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n')).toEqual(
      [...code.matchAll(/\/\/ prints: (.*)$/gm)].map(([, line]) => line),
    );
  });

  it.each(blocks(document, 'sh').flatMap(commands))(
    'keeps its word on: $command',
    { timeout: 60_000 },
    (example) => {
      const [program, ...args] = words(example.command);
      expect(program).toBe('npx');
      expect(args.shift()).toBe('bulkhead');
      const { stdout, stderr, status } = run([join(ROOT, 'dist/lib/cli/main.cjs'), ...args]);
      expect(status).toBe(example.exits);
      expect(stdout.trimEnd()).toBe(example.prints);
      // What a command complains of is shown below it, word for word.
      expect(text).toContain(stderr);
    },
  );
});

describe('README.md', () => {
  it('names only commands of the package', () => {
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
    const named = [...readText('README.md').matchAll(/^npm (?:run )?(\w+)/gm)].map(
      ([, name]) => name,
    );
    expect(named).toEqual(['start', 'test']);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });
});

describe('SECURITY.md', () => {
  it('gives each claim a number of its own', () => {
    const numbers = claims.map(({ number }) => number);
    expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
  });

  it('has a claim for every attack of the escape suite', () => {
    const suite = readdirSync(join(ROOT, 'test/escape'))
      .filter((name) => name.endsWith('.test.ts') && name !== 'controls.test.ts')
      .map((name) => `test/escape/${name}`);
    const named = new Set(claims.flatMap(({ tests }) => tests));
    expect(suite.filter((test) => !named.has(test))).toEqual([]);
  });

  it.each(claims)('names tests that exist for claim $number: $title', ({ enforced, tests }) => {
    expect(enforced).not.toBe('');
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('has no table cell over 120 characters', () => {
    const cells = [...readText('SECURITY.md').matchAll(/^\|(.*)\|$/gm)].flatMap(([, row = '']) =>
      row.split('|').map((cell) => cell.trim()),
    );
    expect(cells.filter((cell) => cell.length > 120)).toEqual([]);
  });
});

function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, target = '']) => target);
}

/** Whether the file is there, and the heading in it where the link names one. */
function leads(from: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const file = join(path === '' ? '.' : dirname(from), path === '' ? from : path);
  if (!existsSync(join(ROOT, file))) return false;
  const headings = [...readText(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
  return heading === undefined || headings.includes(heading);
}

function blocks(document: string, language: string): string[] {
  return fencesOf(document).flatMap((fence) => (fence.language === language ? [fence.text] : []));
}

interface Example {
  readonly command: string;
  readonly prints: string;
  readonly exits: number;
}

/** A line is a command; the comments below it say what it prints and exits with. */
function commands(block: string): Example[] {
  return block
    .split(/\n(?=[^#])/)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [command = '', ...comments] = part.trim().split('\n');
      const said = (word: string): string[] =>
        comments
          .filter((line) => line.startsWith(`# ${word}: `))
          .map((line) => line.slice(word.length + 4));
      return { command, prints: said('prints').join('\n'), exits: Number(said('exits')[0] ?? 0) };
    });
}

/** The words of a command as a shell makes them, as far as our examples go: single quotes. */
function words(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
}

function run(args: readonly string[]): { stdout: string; stderr: string; status: number | null } {
  return spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
}

function temporary(): string {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const directory = mkdtempSync(join(ROOT, '.cache', 'docs-'));
  directories.push(directory);
  return directory;
}
