import { CodedError } from '../../wire/failure.js';
import type { AttachedHooks, DialectWorld } from '../dialect.js';
import { makeLogger } from './logger.js';
import type { LoadedSurface, SurfaceGroup } from './surfaces.js';

/**
 * A plugin's hooks: each file of `hooks/` exports one function by default, and is called what its
 * hook is called. A context holds a logger, and in the current edition `broadcast`.
 */
export function attachHooks(hooks: SurfaceGroup, world: DialectWorld): AttachedHooks {
  const logger = makeLogger(world.log);
  return {
    // Frozen is as good as hardened, for a function that holds nothing.
    lend: (broadcast) => ({
      logger,
      broadcast: Object.freeze((detail?: unknown): void => broadcast(detail)),
    }),
    run: async (hook, context) => {
      const { exported } = await loadHook(hooks, hook);
      if (typeof exported !== 'function') {
        throw new CodedError(
          'LOAD_FAILED',
          `hooks/${hook} exports no function by default. Export it: export default async function (ctx) { … }`,
        );
      }
      return { returned: await Reflect.apply(exported, undefined, [context]) };
    },
  };
}

/** A file that cannot be loaded is no hook that throws: where that ends a chain, this does not. */
async function loadHook(hooks: SurfaceGroup, hook: string): Promise<LoadedSurface> {
  if (!hooks.stems.includes(hook)) return { exported: undefined };
  try {
    return await hooks.load(hook);
  } catch (error) {
    const isError = typeof error === 'object' && error !== null;
    const code: unknown = isError ? Reflect.get(error, 'code') : undefined;
    if (code === 'BUNDLE_FAILED' || code === 'OUTSIDE_PLUGIN') throw error;
    const message: unknown = isError ? Reflect.get(error, 'message') : error;
    throw new CodedError('LOAD_FAILED', `hooks/${hook} cannot be loaded: ${String(message)}`);
  }
}
