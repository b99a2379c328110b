import { BulkheadError } from '../../errors.js';
import type { HookSemantics } from '../../plugin/hooks.js';

/** Options for plugins' hooks. */
export interface EngineHookOptions {
  /**
   * The semantics of hooks: for all plugins, or by plugin id. Default: each plugin's declared range
   * of `@vellumai/plugin-api` decides.
   */
  readonly semantics?: HookSemantics | Readonly<Record<string, HookSemantics>>;
  /**
   * What happens if a hook throws. `by-semantics` (the default): in the classic semantics, no later
   * hook of the chain runs. `skip`: the other plugins' hooks run in all semantics.
   */
  readonly throws?: 'by-semantics' | 'skip';
  /**
   * When `init` runs. `register` (the default): when the engine registers the plugin, so a failure
   * is reported at once. `first-use`: before the plugin's first tool or hook runs.
   */
  readonly init?: 'register' | 'first-use';
  /** The assistant version that plugins see: semver. Default: 0.9.0, which has this interface. */
  readonly assistantVersion?: string;
}

export type HookSettings = EngineHookOptions & {
  readonly throws: 'by-semantics' | 'skip';
  readonly init: 'register' | 'first-use';
  readonly assistantVersion: string;
};

const DEFAULTS = {
  throws: 'by-semantics',
  init: 'register',
  assistantVersion: '0.9.0',
} as const;

/** Fills in the defaults. Throws `INVALID_OPTIONS`. */
export function readHookOptions(given: EngineHookOptions): HookSettings {
  const settings = { ...DEFAULTS, ...given };
  const { semantics, throws, init } = settings;
  const allSemantics =
    typeof semantics === 'object' ? Object.values(semantics) : [semantics ?? 'classic'];
  check('hooks.semantics', ['classic', 'current'], allSemantics);
  check('hooks.throws', ['by-semantics', 'skip'], [throws]);
  check('hooks.init', ['register', 'first-use'], [init]);
  return settings;
}

function check(option: string, words: readonly string[], given: readonly string[]): void {
  if (given.every((word) => words.includes(word))) return;
  throw new BulkheadError('INVALID_OPTIONS', `The option ${option} takes ${words.join(' or ')}.`, {
    option,
  });
}
