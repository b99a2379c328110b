import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { callOf, runRemote } from '../vertesia/server.js';
import { makeRemote } from './servers.js';
import { makeScratch } from '../../run-directory.js';

const SERVER = join(import.meta.dirname, 'rich-server.mjs');
const start = (mode: string, file = ''): ReturnType<typeof makeRemote> =>
  makeRemote({ id: 'rich', command: process.execPath, args: [SERVER, mode, file] });

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('the command of an MCP server', () => {
  it('ends with all that it started, also if it ends by itself', async () => {
    for (const end of ['close', 'quit']) {
      const remote = start('plain');
      const { content } = (await runRemote(remote, callOf(), 'child')) as {
        content: { text: string }[];
      };
      const child = Number(content[0]?.text);
      expect(isAlive(child)).toBe(true);
      await (end === 'close'
        ? remote.close()
        : runRemote(remote, callOf(), 'quit').catch(() => {}));
      await expect.poll(() => isAlive(child), { timeout: 5_000 }).toBe(false);
    }
  });

  it('ends if it sends a message of more than 16 MiB', async () => {
    await expect(runRemote(start('plain'), callOf(), 'flood')).rejects.toMatchObject({
      code: 'REMOTE_FAILED',
    });
  });

  it('has an answer refused that is larger than the limit of the call', async () => {
    const call = callOf({}, { maxResultBytes: 100 });
    await expect(runRemote(start('plain'), call, 'variables')).rejects.toMatchObject({
      code: 'NETWORK_LIMIT',
    });
  });

  it('has its last words in the error of the call during which it ended', async () => {
    await expect(runRemote(start('plain'), callOf(), 'quit')).rejects.toMatchObject({
      message: expect.stringContaining('Its last words: out of disk'),
    });
  });

  it('has its last words, without control characters, in the error if it does not start', async () => {
    const { problems } = await start('broken').load(new AbortController().signal);
    expect(JSON.stringify(problems)).toContain('warming up | no database at ');
  });

  it('has its secret variables taken out of its results, progress and resources, and no settings', async () => {
    const file = '/var/lib/app/database';
    const env = {
      DB: file,
      HOST: 'https://api.example.com',
      HOOK: 'https://h.example/T0/b',
      TOKEN: '/9j4AAQSkZJRg',
      REGION: 'us-east-1',
      API_KEY: 'correct horse',
    };
    const remote = makeRemote({
      id: 'rich',
      command: process.execPath,
      args: [SERVER, 'plain'],
      env,
    });
    const said: string[] = [];
    const call = callOf(
      {},
      {
        onOutput: (words) => said.push(words),
        onProgress: ({ message }) => said.push(message ?? ''),
      },
    );
    const { content } = (await runRemote(remote, call, 'variables')) as {
      content: { text: string }[];
    };
    expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({
      DB: file,
      HOST: 'https://api.example.com',
      HOOK: '[credential]',
      TOKEN: '[credential]',
      REGION: 'us-east-1',
      API_KEY: '[credential]',
    });
    expect(said).toHaveLength(2);
    for (const words of said) expect(words).toMatch(/^(?!.*4AAQSk).*\[credential\]/);
    const read = remote.source?.ask(
      'resources/read',
      { uri: 'variables://' },
      new AbortController().signal,
    );
    expect(JSON.stringify(await read)).toMatch(/^(?!.*4AAQSk).*\[credential\]/);
  });

  it('does not outlive its remote if it is silent', async () => {
    const file = join(makeScratch('silent'), 'pid');
    const remote = start('silent', file);
    const loading = remote.load(new AbortController().signal);
    const pid = await vi.waitUntil(() => existsSync(file) && Number(readFileSync(file, 'utf8')), {
      timeout: 20_000,
    });
    await remote.close();
    expect((await loading).problems).toHaveLength(1);
    await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
  });

  it.each(['reads', 'repeats'])(
    'is started again if it ended during a call that does no harm twice: a tool that %s',
    async (tool) => {
      const { remote, runs } = startEnding();
      expect(await runRemote(remote, callOf(), tool)).toMatchObject({
        content: [{ text: 'run 2' }],
      });
      expect(runs()).toEqual([tool, tool]);
    },
  );

  it('does not get a call again that may have done something, or that ended it twice', async () => {
    const one = startEnding();
    await expect(runRemote(one.remote, callOf(), 'writes')).rejects.toMatchObject({
      code: 'REMOTE_FAILED',
    });
    expect(one.runs()).toEqual(['writes']);
    const two = startEnding();
    await expect(runRemote(two.remote, callOf({ always: true }), 'reads')).rejects.toMatchObject({
      code: 'REMOTE_FAILED',
    });
    expect(two.runs()).toEqual(['reads', 'reads']);
  });
});

/** A server that ends during the first run, and what it ran. */
function startEnding(): {
  readonly remote: ReturnType<typeof makeRemote>;
  readonly runs: () => readonly string[];
} {
  const file = join(makeScratch('ending'), 'runs');
  const args = [join(import.meta.dirname, 'ending-server.mjs'), file];
  return {
    remote: makeRemote({ id: 'ending', command: process.execPath, args }),
    runs: () => readFileSync(file, 'utf8').trim().split('\n'),
  };
}
