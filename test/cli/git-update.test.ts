import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { plainProgram } from '../engine/mcp-on-disk.js';
import { serveRepository } from '../npm/repository.js';
import { run } from './in-process.js';

const home = mkdtempSync(join(tmpdir(), 'bulkhead-git-update-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const hasWalls =
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status ===
  0;

const manifest = (version: string, name = '@scope/notes'): string =>
  JSON.stringify({ name, version, type: 'module', bin: 'server.js', mcpName: 'io.example/notes' });

describe.runIf(hasWalls)('bulkhead update of a git repository', () => {
  it('accepts the commit that is named, and follows no branch', async () => {
    const commits: string[] = [];
    const repository = await serveRepository(
      {
        'package.json': manifest('1.0.0'),
        'server.js': plainProgram('return text("one");'),
      },
      (git, directory) => {
        const commit = (): void => {
          git('add', '--all');
          git('commit', '--quiet', '--message', 'x');
          commits.push(git('rev-parse', 'HEAD').trim());
        };
        commit();
        writeFileSync(join(directory, 'package.json'), manifest('1.1.0', 'other'));
        commit();
        writeFileSync(join(directory, 'package.json'), manifest('1.1.0'));
        git('add', '--all');
      },
    );
    const [first = '', other = ''] = commits;
    const lockFile = join(home, '.config', 'bulkhead', 'bulkhead.lock.json');
    const accepted = (): { readonly version: string; readonly source: string } =>
      JSON.parse(readFileSync(lockFile, 'utf8')).plugins['@scope/notes'];
    const cli = (...args: string[]) => run(args, { home });
    try {
      const added = await cli('add', '--user', `git:${repository.url}#${first}`, '--yes');
      expect(added.code).toBe(0);
      const before = accepted();
      expect(before.version).toBe('1.0.0');

      const plain = await cli('update', '--user', '@scope/notes');
      expect(plain).toMatchObject({ code: 0 });
      expect(plain.stderr).toContain(`is the commit ${first} of ${repository.url}`);
      expect(plain.stdout).toContain('is unchanged');

      const renamed = await cli('update', '--user', 'notes', '--commit', other);
      expect(renamed.code).toBe(4);
      expect(renamed.stderr).toContain('the commit has the package other');
      const short = await cli('update', '--user', 'notes', '--commit', first.slice(0, 10));
      expect(short.stderr).toContain('a short id can lead to other code later');
      const all = await cli('update', '--user', '--commit', repository.commit);
      expect(all.stderr).toContain('name the one plugin');
      expect(accepted()).toEqual(before);

      const updated = await cli('update', '--user', 'notes', '--commit', repository.commit);
      expect(updated.stderr).toContain('version 1.0.0 → 1.1.0');
      expect(updated.code).toBe(0);
      expect(accepted()).toMatchObject({ version: '1.1.0' });
      expect(accepted().source).not.toBe(before.source);

      // The earlier commit stays for a rollback, and the refused one does not.
      expect((await cli('store', 'gc')).stdout).toMatch(/^deleted \S+\/other@1\.1\.0-\w+\n$/);
      expect((await cli('rollback', '--user', 'notes')).code).toBe(0);
      expect(accepted()).toMatchObject({ version: '1.0.0', source: before.source });
    } finally {
      repository.close();
    }
  });
});
