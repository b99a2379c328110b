import { resolve } from 'node:path';
import type { Engine } from '../index.js';

/** Engines that stand open at once. Each holds the guests of one plugin: some tens of megabytes. */
const MAX_OPEN = 16;

/** Engines by the directory of their one plugin, so that two plugins of the same id never meet. */
export interface EngineShelf extends AsyncDisposable {
  /** The directory's engine, with its guests as the last call left them where it is still open. */
  readonly open: (directory: string) => Promise<Engine>;
}

/** Keeps the engines used last, and closes the one that was not used for longest. */
export function makeEngineShelf(create: (directory: string) => Promise<Engine>): EngineShelf {
  const engines = new Map<string, Engine>();
  return {
    open: async (directory) => {
      const key = resolve(directory);
      const kept = engines.get(key);
      engines.delete(key);
      if (kept === undefined && engines.size >= MAX_OPEN) {
        const [oldest, engine] = [...engines][0] ?? [];
        if (oldest !== undefined) engines.delete(oldest);
        await engine?.close();
      }
      const engine = kept ?? (await create(key));
      engines.set(key, engine);
      return engine;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...engines.values()].map((engine) => engine.close()));
    },
  };
}
