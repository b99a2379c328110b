import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { brokerIn, makeTree, textOf } from './tree.js';

const SWAPPER = new URL('./swap-forever.mjs', import.meta.url).pathname;

describe('what another process swaps in and out', () => {
  it('never gives what is outside: a file that becomes a link', async () => {
    const { root, plugin } = await tree();
    const seen = await race(plugin, 'data/file', [`${plugin}/data/file`, `${root}/outside/a.txt`]);
    expect([...seen].toSorted()).toEqual(['FILESYSTEM_DENIED', 'inside']);
  });

  it('never gives what is outside: a folder that becomes a link', async () => {
    const { root, plugin } = await tree();
    const swapped = [`${plugin}/data/folder`, `${root}/outside`];
    const seen = await race(plugin, 'data/folder/a.txt', swapped);
    expect([...seen].toSorted()).toEqual(['FILESYSTEM_DENIED', 'inside']);
  });

  it('is never waited for: a file that becomes a pipe', async () => {
    const { plugin } = await tree();
    const seen = await race(plugin, 'data/file', [`${plugin}/data/file`]);
    expect([...seen].toSorted()).toEqual(['FILESYSTEM_FAILED', 'inside']);
  });
});

async function tree() {
  return makeTree({
    'plugin/data/folder/a.txt': 'inside',
    'plugin/data/file': 'inside',
    'outside/a.txt': 'secret',
  });
}

/** Everything that reading `path` comes to in a second, besides that there is nothing just now. */
async function race(
  plugin: string,
  path: string,
  swapped: readonly string[],
): Promise<Set<string>> {
  const swapper = fork(SWAPPER, swapped);
  await once(swapper, 'message');
  const broker = brokerIn(plugin, ['data']);
  const seen = new Set<string>();
  const end = performance.now() + 1_000;
  const read = async (): Promise<void> => {
    while (performance.now() < end) {
      seen.add(
        await textOf(broker.read(path)).catch((error: Error & { code: string }) =>
          error.message.endsWith('no such file.') ? 'nothing' : error.code,
        ),
      );
    }
  };
  await Promise.all([read(), read(), read()]);
  // It is gone before its folder is removed, which it would fill again.
  const gone = once(swapper, 'exit');
  swapper.kill('SIGKILL');
  await gone;
  seen.delete('nothing');
  return seen;
}
