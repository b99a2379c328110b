import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callOf, runRemote } from '../vertesia/server.js';
import { makeRemote } from './servers.js';

const options = {
  id: 'mortal',
  command: process.execPath,
  args: [join(import.meta.dirname, 'mortal-server.mjs')],
};

async function pidOf(remote: ReturnType<typeof makeRemote>): Promise<number> {
  const { content } = (await runRemote(remote, callOf(), 'pid')) as { content: { text: string }[] };
  return Number(content[0]?.text);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('an MCP server that is a command', () => {
  it('fails the call in which it exits, and is started again for the next', async () => {
    const remote = makeRemote(options);
    const first = await pidOf(remote);
    await expect(runRemote(remote, callOf(), 'die')).rejects.toMatchObject({
      code: 'REMOTE_FAILED',
    });
    const second = await pidOf(remote);
    expect(second).not.toBe(first);
    expect(isAlive(first)).toBe(false);
  });

  it('is started again once for concurrent calls, and not after it was closed', async () => {
    const remote = makeRemote(options);
    const { tools } = await remote.load(new AbortController().signal);
    const use = (name: string): Promise<unknown> | undefined =>
      tools.find(({ tool }) => tool === name)?.run(callOf());
    await expect(use('die')).rejects.toMatchObject({ code: 'REMOTE_FAILED' });
    const answers = await Promise.all([use('pid'), use('pid'), use('pid')]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await remote.close();
    await expect(use('pid')).rejects.toThrow('the engine closed it');
  });

  it('ends when its remote is closed', async () => {
    const remote = makeRemote(options);
    const pid = await pidOf(remote);
    expect(isAlive(pid)).toBe(true);
    await remote.close();
    for (let tries = 0; isAlive(pid) && tries < 100; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(isAlive(pid)).toBe(false);
  });
});
