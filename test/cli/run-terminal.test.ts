/** `bulkhead run` on a terminal: a question, and then a session on the same standard streams. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeServer, plainProgram } from '../engine/mcp-on-disk.js';
import { MAIN } from './spawned.js';

const home = mkdtempSync(join(tmpdir(), 'bulkhead-terminal-'));
let registry: Server;

/** A registry of npm with one package. */
beforeAll(async () => {
  const directory = makeServer({ name: 'notes', program: plainProgram('return text("noted");') });
  // An archive, as `npm pack` makes it.
  const archive = join(home, 'notes.tgz');
  const tar = ['-czf', archive, '-C', directory, '--transform', 's,^\\.,package,', '.'];
  if (spawnSync('tar', tar).status !== 0) throw new Error('tar failed');
  const bytes = readFileSync(archive);
  registry = createServer((request, response) => {
    if (request.url === '/notes.tgz') return response.end(bytes);
    const { port } = registry.address() as { port: number };
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    const version = {
      name: 'notes',
      version: '1.0.0',
      bin: { notes: 'server.js' },
      dist: { tarball: `http://127.0.0.1:${port}/notes.tgz`, integrity },
    };
    response.setHeader('content-type', 'application/json');
    return response.end(
      JSON.stringify({
        name: 'notes',
        'dist-tags': { latest: '1.0.0' },
        versions: { '1.0.0': version },
        time: { '1.0.0': '2020-01-01T00:00:00.000Z' },
      }),
    );
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  const { port } = registry.address() as { port: number };
  writeFileSync(join(home, '.npmrc'), `registry=http://127.0.0.1:${port}/\n`);
});

afterAll(() => {
  registry.close();
  rmSync(home, { recursive: true, force: true });
});

// `script` of util-linux runs a program on a terminal of its own.
describe.runIf(process.platform === 'linux')('bulkhead run on a terminal', () => {
  it('asks, adds the server, and then serves it on the same streams', async () => {
    const line = `${process.execPath} ${MAIN} run npm:notes`;
    const child = spawn('script', ['-qefc', line, '/dev/null'], {
      cwd: home,
      env: { HOME: home, PATH: process.env['PATH'], TERM: 'dumb' },
    });
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (shown += chunk));
    const until = async (text: string | RegExp): Promise<void> => {
      await expect.poll(() => shown, { timeout: 120_000 }).toMatch(text);
    };
    try {
      await until('Type yes to accept');
      expect(shown).toContain('notes is not accepted yet');
      child.stdin.write('yes\n');
      await until('serving it on standard input');
      const send = (message: object): boolean =>
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
      const clientInfo = { name: 'test', version: '1' };
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
      send({ id: 1, method: 'initialize', params });
      await until(/"serverInfo"/);
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'tools/list' });
      await until(/"name":"run"/);
    } finally {
      child.kill();
    }
  });
});
