/**
 * The hooks that a host runs (Vellum hooks, Hooks reference). The last two exist only with current
 * semantics. Hook files with other names are ignored.
 */
export const HOOK_NAMES = [
  'init',
  'shutdown',
  'user-prompt-submit',
  'pre-model-call',
  'post-model-call',
  'post-tool-use',
  'stop',
  'post-compact',
  'conversation-deleted',
  'conversations-cleared',
] as const;

export type HookName = (typeof HOOK_NAMES)[number];

/** The hooks that the engine runs when it loads and unloads a plugin. */
export type LifecycleHook = 'init' | 'shutdown';

const names: ReadonlySet<string> = new Set(HOOK_NAMES);

export function isHookName(name: string): name is HookName {
  return names.has(name);
}

/** The plugin interface that a hook was written for. `SEMANTICS` lists the differences. */
export type HookSemantics = 'classic' | 'current';

/** The differences between the two semantics, other than the fields of their contexts. */
export interface SemanticsRules {
  /** Whether an object that a hook returns replaces the context or is merged into the draft. */
  readonly returned: 'replaces' | 'merges';
  /** Whether `null` or another value that is not a context is an error or is ignored. */
  readonly nothing: 'refused' | 'ignored';
  /** If a hook throws: no later hook runs, or only the hook's own change is lost. */
  readonly thrown: 'halts' | 'skips';
  /** If `init` throws: the plugin is not loaded, or it is loaded and the error is logged. */
  readonly initThrown: 'aborts' | 'logged';
  /** The order in which several plugins shut down. */
  readonly shutdown: 'last-first' | 'first-first';
  /** Hooks that are known but do not run. */
  readonly reserved: readonly HookName[];
}

export const SEMANTICS: Readonly<Record<HookSemantics, SemanticsRules>> = {
  classic: {
    returned: 'replaces',
    nothing: 'refused',
    thrown: 'halts',
    initThrown: 'aborts',
    shutdown: 'last-first',
    reserved: ['post-compact', 'conversation-deleted', 'conversations-cleared'],
  },
  current: {
    returned: 'merges',
    nothing: 'ignored',
    thrown: 'skips',
    initThrown: 'logged',
    shutdown: 'first-first',
    reserved: [],
  },
};
