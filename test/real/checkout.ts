import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Source } from './sources.js';

const run = promisify(execFile);

const REPOSITORIES = resolve(process.env['BULKHEAD_REAL'] ?? '.cache/real');
const CHECKOUTS = resolve('.cache/real-checkouts');

/**
 * The directory of a plugin at its commit, with its npm dependencies. It is made once for each
 * commit. Returns the reason if the repository or the commit was not fetched.
 */
export async function checkOut(
  source: Source,
): Promise<{ readonly directory: string } | { readonly skipped: string }> {
  const { id, system, repository, commit, path = '', scenario = id } = source;
  const clone = join(REPOSITORIES, repository.replace('/', '+'));
  const git = [clone, join(clone, '.git'), join(clone, 'repo')].find((directory) =>
    existsSync(join(directory, 'HEAD')),
  );
  if (git === undefined) return { skipped: `${clone} does not exist` };
  const directory = join(CHECKOUTS, system, `${scenario}@${commit.slice(0, 12)}`);
  if (existsSync(directory)) return { directory };
  const known = await run('git', ['--git-dir', git, 'cat-file', '-e', commit]).then(
    () => true,
    () => false,
  );
  if (!known) return { skipped: `${clone} does not have the commit ${commit.slice(0, 12)}` };

  const draft = `${directory}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  const archive = join(draft, '..', `${id}.tar`);
  const tree = path === '' ? commit : `${commit}:${path}`;
  // Some repositories have their installed dependencies in them.
  const paths = ['.', ':(exclude)node_modules'];
  await run('git', ['--git-dir', git, 'archive', '-o', archive, tree, ...paths]);
  await run('tar', ['-xf', archive, '-C', draft]);
  await rm(archive);
  if (source.bundled !== true) {
    try {
      await install(draft);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      const reason = /npm error (\d+ .+)/.exec(error instanceof Error ? error.message : '')?.[1];
      return { skipped: `its dependencies could not be installed: ${reason ?? 'npm failed'}` };
    }
  }
  await rename(draft, directory);
  return { directory };
}

/** What the plugin's host supplies. */
const SUPPLIED = '@vellumai/plugin-api';

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Installs a plugin's npm dependencies, without scripts, without peers and without its lock file. */
async function install(directory: string): Promise<void> {
  const file = join(directory, 'package.json');
  const text = await readFile(file, 'utf8').catch(() => '{}');
  const manifest: Manifest = JSON.parse(text);
  const { name, version } = manifest;
  const { [SUPPLIED]: _, ...dependencies } = manifest.dependencies ?? {};
  if (Object.keys(dependencies).length === 0) return;
  await rm(join(directory, 'package-lock.json'), { force: true });
  await writeFile(file, JSON.stringify({ name, version, dependencies }));
  const flags = ['--omit=dev', '--omit=peer', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', '--legacy-peer-deps', ...flags], { cwd: directory });
  await writeFile(file, text);
}
