import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';

/** A repository that a plain web server on loopback hands out, as old servers do. */
export interface Repository {
  readonly url: string;
  readonly commit: string;
  close(): void;
}

/** Makes a repository with these files. `more` runs git commands before the commit. */
export async function serveRepository(
  files: Readonly<Record<string, string>>,
  more: (git: (...args: string[]) => string, directory: string) => void = () => {},
): Promise<Repository> {
  const root = mkdtempSync(join(tmpdir(), 'bulkhead-repository-'));
  const work = join(root, 'work');
  mkdirSync(work);
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
      cwd: work,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' },
    });
  git('init', '--quiet');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), text);
  }
  git('add', '--all');
  more(git, work);
  git('commit', '--quiet', '--message', 'first');
  const commit = git('rev-parse', 'HEAD').trim();
  git('update-server-info');
  cpSync(join(work, '.git'), join(root, 'served'), { recursive: true });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    // Under any name, too: `/name.git/HEAD`.
    const path = normalize(pathname.replace(/^\/[^/]+\.git\//, '/'));
    try {
      response.end(readFileSync(join(root, 'served', path)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    commit,
    close: () => {
      server.close();
      server.closeAllConnections();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
