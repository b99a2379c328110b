import { BulkheadError } from '../../errors.js';
import type { HookDialect } from '../../hooks/names.js';

/** What a host says once of its plugins' hooks. */
export interface EngineHookOptions {
  /**
   * By which rules hooks are run: of all plugins, or by plugin id. Default: by the range that each
   * plugin declares of `@vellumai/plugin-api`.
   */
  readonly dialect?: HookDialect | Readonly<Record<string, HookDialect>>;
  /**
   * What a hook does to its chain that throws. `by-dialect` (the default): in the classic dialect no
   * later hook is run. `skip`: in no dialect does it cost another plugin its turn.
   */
  readonly throws?: 'by-dialect' | 'skip';
  /**
   * When `init` is run. `register` (the default): when the engine takes the plugin in, so that one
   * that fails is known at once. `first-use`: before the first tool or hook of the plugin.
   */
  readonly init?: 'register' | 'first-use';
  /** The version that plugins are told: semver. Default: 0.9.0, whose interface this is. */
  readonly assistantVersion?: string;
}

export type HookSettings = EngineHookOptions & {
  readonly throws: 'by-dialect' | 'skip';
  readonly init: 'register' | 'first-use';
  readonly assistantVersion: string;
};

const DEFAULTS = {
  throws: 'by-dialect',
  init: 'register',
  assistantVersion: '0.9.0',
} as const;

/** Fills in the defaults. Throws `INVALID_OPTIONS`. */
export function readHookOptions(given: EngineHookOptions): HookSettings {
  const settings = { ...DEFAULTS, ...given };
  const { dialect, throws, init } = settings;
  const dialects = typeof dialect === 'object' ? Object.values(dialect) : [dialect ?? 'classic'];
  check('hooks.dialect', ['classic', 'current'], dialects);
  check('hooks.throws', ['by-dialect', 'skip'], [throws]);
  check('hooks.init', ['register', 'first-use'], [init]);
  return settings;
}

function check(option: string, words: readonly string[], given: readonly string[]): void {
  if (given.every((word) => words.includes(word))) return;
  throw new BulkheadError('INVALID_OPTIONS', `The option ${option} takes ${words.join(' or ')}.`, {
    option,
  });
}
