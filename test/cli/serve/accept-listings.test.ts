/** `bulkhead remotes --accept` for what an MCP server among the plugins lists. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeServer, plainProgram } from '../../engine/mcp-on-disk.js';
import { makeDirectory, startEngine } from '../../engine/plugin-on-disk.js';
import { run } from '../in-process.js';

describe('bulkhead remotes --accept', () => {
  it('accepts what a server in a guest lists, by the digest that was shown', async () => {
    const storageDirectory = makeDirectory();
    const directory = makeServer({
      program: plainProgram(`
        listed = [...listed, { name: 'later', inputSchema: { type: 'object' } }];
        send({ method: 'notifications/tools/list_changed' });
        return text(name);`),
    });
    const engine = await startEngine([directory], { storageDirectory, tolerance: 'full' });
    await engine.call('run', {});
    const problems = (): string =>
      engine
        .plugins()
        .flatMap((plugin) => plugin.problems.map(({ message }) => message))
        .join();
    await expect.poll(problems).toContain('later of sample is new');
    const [, digest = ''] = /--digest ([\da-f]+)/.exec(problems()) ?? [];
    await engine.close();

    const config = join(makeDirectory(), 'bulkhead.config.json');
    writeFileSync(config, JSON.stringify({ storageDirectory, plugins: [directory] }));
    const accept = (...more: readonly string[]) =>
      run(['remotes', '--config', config, '--accept', 'sample', ...more]);
    const wrong = await accept('--digest', '0123456789abcdef');
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain('waits for acceptance');
    const accepted = await accept('--digest', digest);
    expect(accepted).toMatchObject({ code: 0, stderr: expect.stringContaining('accepted what') });
    // Nothing waits any more, and unknown names are refused as before.
    expect((await accept()).stderr).toContain('waits for acceptance');
    const unknown = await run(['remotes', '--config', config, '--accept', 'absent']);
    expect(unknown.stderr).toContain('has no servers under "remotes"');

    const again = await startEngine([directory], { storageDirectory, tolerance: 'full' });
    await again.call('run', {});
    await expect.poll(() => again.catalog.list().map(({ tool }) => tool)).toEqual(['later', 'run']);
    await again.close();
  });
});
