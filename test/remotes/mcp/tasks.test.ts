import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { callOf } from '../vertesia/server.js';
import { makeRemote } from './servers.js';
import { makeScratch } from '../../run-directory.js';

const SERVER = join(import.meta.dirname, 'task-server.mjs');

function start(): {
  readonly remote: ReturnType<typeof makeRemote>;
  readonly asked: () => string[];
} {
  const file = join(makeScratch('tasks'), 'asked');
  return {
    remote: makeRemote({ id: 'tasks', command: process.execPath, args: [SERVER, file] }),
    asked: () => readFileSync(file, 'utf8').trim().split('\n'),
  };
}

async function toolOf(remote: ReturnType<typeof makeRemote>, name: string) {
  const { tools, problems } = await remote.load(AbortSignal.timeout(30_000));
  expect(problems).toEqual([]);
  const found = tools.find(({ tool }) => tool === name);
  if (found === undefined) throw new Error(`there is no tool ${name}`);
  return found;
}

describe('a tool that runs as a task only', () => {
  it('is asked for its state until it ends, and then for its result', async () => {
    const { remote, asked } = start();
    const said: string[] = [];
    const tool = await toolOf(remote, 'long');
    const answer = await tool.run({ ...callOf(), onOutput: (text) => said.push(text) });
    expect(answer.content).toEqual([{ type: 'text', text: 'result of long' }]);
    expect(said).toEqual(['step 1', 'step 2']);
    expect(asked().filter((method) => method.startsWith('tasks/'))).toEqual([
      'tasks/get',
      'tasks/get',
      'tasks/get',
      'tasks/result',
    ]);
  });

  it('is cancelled with its call', async () => {
    const { remote, asked } = start();
    const tool = await toolOf(remote, 'endless');
    const giveUp = new AbortController();
    const call = tool.run({ ...callOf(), signal: giveUp.signal });
    call.catch(() => {});
    await vi.waitUntil(() => asked().includes('tasks/get'), 20_000);
    giveUp.abort();
    await expect(call).rejects.toMatchObject({ code: 'REMOTE_FAILED' });
    await vi.waitUntil(() => asked().includes('tasks/cancel'), 20_000);
    expect(asked()).not.toContain('tasks/result');
  });
});
