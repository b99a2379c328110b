import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { brokerIn, makeTree, textOf } from './tree.js';

const SWAPPER = new URL('./swap-forever.mjs', import.meta.url).pathname;

describe('a link that another process swaps in and out', () => {
  it.each(['file', 'folder'])(
    'never gives what is outside: a %s',
    { timeout: 10_000 },
    async (what) => {
      const { root, plugin } = await makeTree({
        'plugin/data/folder/a.txt': 'inside',
        'plugin/data/file': 'inside',
        'outside/a.txt': 'secret',
      });
      const path = what === 'file' ? 'data/file' : 'data/folder/a.txt';
      const target = what === 'file' ? `${root}/outside/a.txt` : `${root}/outside`;
      const swapper = fork(SWAPPER, [`${plugin}/data/${what}`, target]);
      await once(swapper, 'message');
      const broker = brokerIn(plugin, ['data']);
      const seen = new Map<string, number>();
      const end = performance.now() + 1_000;
      const read = async (): Promise<void> => {
        while (performance.now() < end) {
          const outcome = await textOf(broker.read(path)).catch(
            (error: { code: string }) => error.code,
          );
          seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        }
      };
      await Promise.all([read(), read(), read()]);
      swapper.kill('SIGKILL');

      expect([...seen.keys()]).not.toContain('secret');
      // The race was run: there were moments of both kinds.
      expect(seen.get('inside')).toBeGreaterThan(0);
      expect(seen.get('FILESYSTEM_DENIED')).toBeGreaterThan(0);
      expect(broker.active).toBe(0);
    },
  );
});
