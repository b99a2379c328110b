import type { EngineOptions, GrantPolicy, Logger } from '../../engine/types/options.js';
import type { ConfigFile } from '../../http/config.js';
import type { CliCapabilities } from '../capabilities.js';
import { reasonOf } from '../failure.js';
import { grantOf } from '../permission-choice.js';
import { type Finding, logFindings } from './findings.js';
import { DEFAULT_FILE, readConfigFile } from './config-file.js';
import type { ServedSettings } from './options.js';

/** A configuration that can be reloaded. */
export interface ConfigReloader {
  /** The engine reads these whenever it loads its plugins. */
  readonly policies: Pick<EngineOptions, 'grant' | 'config'>;
  /**
   * Reads the file again and applies it. If either fails, nothing changes. Returns the names of the
   * changed settings that apply only after a restart.
   */
  reload(apply: (file: ConfigFile) => Promise<void>): Promise<readonly string[]>;
}

export function makeConfigReloader(
  first: ConfigFile,
  settings: ServedSettings,
  capabilities: Pick<CliCapabilities, 'readFile'>,
): ConfigReloader {
  let current = first;
  let last: Promise<unknown> = Promise.resolve();
  const allowed = grantOf(settings);
  // A missing file does not revoke the configuration: without it, plugins would get all they declare.
  // guard: missing-config-keeps-grants
  const named = { config: settings.config ?? (isThere(first) ? DEFAULT_FILE : undefined) };

  const reload = async (apply: (file: ConfigFile) => Promise<void>): Promise<readonly string[]> => {
    const before = current;
    const next = await readConfigFile(
      named.config === undefined ? {} : { config: named.config },
      capabilities,
    );
    current = next;
    try {
      await apply(next);
    } catch (error) {
      current = before;
      throw error;
    }
    return changedKeys(restartOnly(before), restartOnly(next));
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
    reload: (apply) => {
      const turn = last.then(
        () => reload(apply),
        () => reload(apply),
      );
      last = turn;
      return turn;
    },
  };
}

/**
 * Reloads a configuration, and logs the outcome. `failedNow` returns what does not run as it is on disk.
 */
export async function reloadConfig(
  reloader: ConfigReloader,
  apply: (file: ConfigFile) => Promise<void>,
  logger: Logger,
  failedNow: () => Promise<readonly Finding[]>,
): Promise<void> {
  try {
    const restart = await reloader.reload(apply);
    const findings = await failedNow();
    logFindings(findings, logger);
    const failed = [...new Set(findings.flatMap(({ plugin }) => plugin ?? []))];
    if (failed.length === 0) logger.info({}, 'reloaded the plugins');
    else logger.error({ failed }, 'reloaded the plugins, and some of them failed');
    if (restart.length > 0) logger.warn({ restart }, 'other changes apply after a restart');
  } catch (error) {
    const why = reasonOf(error);
    logger.error({ why }, 'the reload failed');
  }
}

function isThere({ plugins }: ConfigFile): boolean {
  return plugins !== undefined;
}

/** The parts that apply only after a restart. */
function restartOnly(file: ConfigFile): object {
  const { plugins: _plugins, grant: _grant, config: _config, tokens: _tokens, ...rest } = file;
  const {
    token: _token,
    viewToken: _view,
    answerToken: _answer,
    adminToken: _admin,
    ...server
  } = rest.server ?? {};
  return { ...rest, server };
}

function changedKeys(before: object, after: object): readonly string[] {
  const was = new Map<string, unknown>(Object.entries(before));
  const is = new Map<string, unknown>(Object.entries(after));
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((key) => JSON.stringify(was.get(key)) !== JSON.stringify(is.get(key)))
    .toSorted();
}
