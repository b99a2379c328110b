import type { ConfigFile } from '../../http/config-file.js';
import type { EngineOptions, GrantPolicy, Logger } from '../../index.js';
import type { CliPowers } from '../powers.js';
import { grantOf } from '../settings.js';
import { DEFAULT_FILE, readConfigFile } from './options.js';
import type { EngineSettings } from './settings.js';

/** A configuration that may be read again while it is in use. */
export interface Rereading {
  /** What an engine asks of it whenever it reads its plugins. */
  readonly policies: Pick<EngineOptions, 'grant' | 'config'>;
  /**
   * Reads it again, and has it applied. One that cannot be read, or applied, changes nothing. Gives
   * the names of what changed in it and holds from the next start alone.
   */
  again(apply: (file: ConfigFile) => Promise<void>): Promise<readonly string[]>;
}

export function makeRereading(
  first: ConfigFile,
  settings: EngineSettings,
  powers: Pick<CliPowers, 'readFile'>,
): Rereading {
  let current = first;
  let last: Promise<unknown> = Promise.resolve();
  const allowed = grantOf(settings.allow);
  // What was there and is gone was not taken back: without it plugins would get all they declare.
  const named = { config: settings.config ?? (isThere(first) ? DEFAULT_FILE : undefined) };

  const again = async (apply: (file: ConfigFile) => Promise<void>): Promise<readonly string[]> => {
    const before = current;
    const next = await readConfigFile(
      named.config === undefined ? {} : { config: named.config },
      powers,
    );
    current = next;
    try {
      await apply(next);
    } catch (error) {
      current = before;
      throw error;
    }
    return changedKeys(lasting(before), lasting(next));
  };

  return {
    policies: {
      grant: (plugin) => {
        const policy: GrantPolicy = current.grant ?? allowed;
        if (typeof policy === 'function') return policy(plugin);
        if (typeof policy === 'string') return policy;
        return Object.hasOwn(policy, plugin.id) ? (policy[plugin.id] ?? 'nothing') : 'nothing';
      },
      config: ({ id }) => {
        const { config = {} } = current;
        return Object.hasOwn(config, id) ? config[id] : undefined;
      },
    },
    again: (apply) => {
      const turn = last.then(
        () => again(apply),
        () => again(apply),
      );
      last = turn;
      return turn;
    },
  };
}

/** Reads a configuration again, and says in the log what came of it. */
export async function readAgain(
  rereading: Rereading,
  apply: (file: ConfigFile) => Promise<void>,
  logger: Logger,
): Promise<void> {
  try {
    const restart = await rereading.again(apply);
    logger.info({}, 'the plugins were read again');
    if (restart.length > 0) logger.warn({ restart }, 'what else changed holds from the next start');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    logger.error({ why }, 'the plugins could not be read again');
  }
}

function isThere({ plugins }: ConfigFile): boolean {
  return plugins !== undefined;
}

/** All but what counts at once. */
function lasting(file: ConfigFile): object {
  const { plugins: _plugins, grant: _grant, config: _config, tokens: _tokens, ...rest } = file;
  const { token: _token, ...server } = rest.server ?? {};
  return { ...rest, server };
}

function changedKeys(before: object, after: object): readonly string[] {
  const was = new Map<string, unknown>(Object.entries(before));
  const is = new Map<string, unknown>(Object.entries(after));
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((key) => JSON.stringify(was.get(key)) !== JSON.stringify(is.get(key)))
    .toSorted();
}
