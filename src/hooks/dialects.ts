import type { HookDialect, HookName } from './names.js';

/** What the two dialects do differently besides the fields of their contexts. */
export interface DialectRules {
  /** What an object means that a hook returns: all of the context, or changes to the draft. */
  readonly returned: 'replaces' | 'merges';
  /** `null`, or another value that is no context: a mistake, or as good as nothing. */
  readonly nothing: 'refused' | 'ignored';
  /** A hook that throws: no later one runs, or only its own change is lost. */
  readonly thrown: 'halts' | 'skips';
  /** An `init` that throws: the plugin is not loaded, or lives on and its log says so. */
  readonly initThrown: 'aborts' | 'logged';
  /** In which order plugins are shut down together. */
  readonly shutdown: 'last-first' | 'first-first';
  /** Hooks whose names exist and which are not run. */
  readonly reserved: readonly HookName[];
}

export const DIALECTS: Readonly<Record<HookDialect, DialectRules>> = {
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
