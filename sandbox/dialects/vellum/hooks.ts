import { CodedError } from '../../wire/failure.js';
import type { AttachedHooks, DialectWorld } from '../dialect.js';
import type { LoadedSurface, SurfaceGroup } from './surfaces.js';

/**
 * A plugin's hooks. Each file of `hooks/` has a default export, a function. The file's name is the
 * hook's name. A context has a logger and, in the current edition, `broadcast`.
 */
export function attachHooks(hooks: SurfaceGroup, world: DialectWorld): AttachedHooks {
  const logger = makeLogger(world.log);
  return {
    // Freezing is enough to harden a function without properties.
    makeMembers: (broadcast) => ({
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

/** A failed load has its own error code: unlike a hook that throws, it never ends a chain. */
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

type Level = Parameters<DialectWorld['log']>[0];

/** Our levels, by pino's names. */
const LEVELS: Readonly<Record<string, Level>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  fatal: 'error',
};

/**
 * A logger with pino's signature: `info({ id }, 'text')`. The text may also come first, because
 * many plugins call it like that. A child adds its bindings to every line.
 */
function makeLogger(log: DialectWorld['log'], bindings: readonly unknown[] = []): object {
  const to =
    (level: Level) =>
    (...parts: readonly unknown[]): void =>
      log(level, [...wordsFirst(parts), ...bindings]);
  return harden({
    ...Object.fromEntries(Object.entries(LEVELS).map(([name, level]) => [name, to(level)])),
    silent: () => {},
    level: 'debug',
    child: (more: unknown) => makeLogger(log, [...bindings, more]),
  });
}

/** Moves the text before the fields. */
function wordsFirst(parts: readonly unknown[]): readonly unknown[] {
  const [fields, text, ...rest] = parts;
  return typeof text === 'string' && typeof fields === 'object' ? [text, ...rest, fields] : parts;
}
