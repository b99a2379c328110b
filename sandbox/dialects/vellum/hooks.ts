import { CodedError } from '../../wire/failure.js';
import type { AttachedHooks, DialectWorld } from '../dialect.js';
import { makeLogger } from './logger.js';
import type { SurfaceGroup } from './surfaces.js';

/**
 * A plugin's hooks: each file of `hooks/` exports one function by default, and is called what its
 * hook is called. A context holds a logger, and in the current edition `broadcast`.
 */
export function attachHooks(hooks: SurfaceGroup, world: DialectWorld): AttachedHooks {
  const logger = makeLogger(world.log);
  return {
    lend: (broadcast) => harden({ logger, broadcast: (detail?: unknown) => broadcast(detail) }),
    run: async (hook, context) => {
      const { exported } = hooks.stems.includes(hook)
        ? await hooks.load(hook)
        : { exported: undefined };
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
