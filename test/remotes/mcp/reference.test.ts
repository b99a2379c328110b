import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { callOf, runRemote } from '../vertesia/server.js';
import { entryOf, makeRemote } from './servers.js';

const signal = AbortSignal.timeout(60_000);
const directory = mkdtempSync(join(tmpdir(), 'bulkhead-mcp-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
writeFileSync(join(directory, 'note.txt'), 'kept');

const node = (
  name: Parameters<typeof entryOf>[0],
  ...args: string[]
): { command: string; args: string[]; id: string } => ({
  id: 'house',
  command: process.execPath,
  args: [entryOf(name), ...args],
});

describe('an MCP reference server', () => {
  it('lists files over stdio, in a process that is not confined', async () => {
    const remote = makeRemote(node('server-filesystem', directory));
    expect(remote.confinement).toBe('host');
    const { tools, problems } = await remote.load(signal);
    expect(problems).toEqual([]);
    expect(tools.map(({ tool }) => tool)).toContain('read_text_file');
    const call = callOf({ path: join(directory, 'note.txt') });
    expect(await runRemote(remote, call, 'read_text_file')).toMatchObject({
      isError: false,
      content: [{ type: 'text', text: 'kept' }],
    });
    const outside = callOf({ path: '/etc/hostname' });
    expect(await runRemote(remote, outside, 'read_text_file')).toMatchObject({ isError: true });
  });

  it('does everything over stdio', async () => {
    const remote = makeRemote(node('server-everything', 'stdio'));
    const { tools, problems } = await remote.load(signal);
    expect(problems).toEqual([]);
    expect(tools.length).toBeGreaterThan(5);
    expect(await runRemote(remote, callOf({ message: 'hi' }), 'echo')).toMatchObject({
      content: [{ type: 'text', text: 'Echo: hi' }],
    });
    const sum = await runRemote(remote, callOf({ a: 2, b: 3 }), 'get-sum');
    expect(JSON.stringify(sum)).toContain('5');
  });

  it('does everything over HTTP', async () => {
    const port = await freePort();
    const child = spawn(process.execPath, [entryOf('server-everything'), 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    });
    try {
      const remote = makeRemote({ mcp: `http://127.0.0.1:${port}/mcp`, allowPrivate: true });
      let listing = await remote.load(signal);
      for (let tries = 0; listing.tools.length === 0 && tries < 50; tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        listing = await remote.load(signal);
      }
      expect(listing.problems).toEqual([]);
      expect(await runRemote(remote, callOf({ message: 'hi' }), 'echo')).toMatchObject({
        content: [{ type: 'text', text: 'Echo: hi' }],
      });
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('reports a command that does not exist', async () => {
    const remote = makeRemote({ id: 'house', command: '/nowhere/at-all' });
    const { tools, problems } = await remote.load(signal);
    expect(tools).toEqual([]);
    expect(problems[0]?.message).toContain('/nowhere/at-all');
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
