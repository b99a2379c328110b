/**
 * The hooks that a host runs (Vellum hooks, Hooks reference). The last two exist in the current
 * dialect alone. A plugin may have files by other names: they are inert.
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

/** The hooks that the engine itself runs, when it takes a plugin in and when it lets go of it. */
export type LifecycleHook = 'init' | 'shutdown';

const names: ReadonlySet<string> = new Set(HOOK_NAMES);

export function isHookName(name: string): name is HookName {
  return names.has(name);
}

/** Which of the two plugin interfaces a hook was written for. `dialects.ts` has their differences. */
export type HookDialect = 'classic' | 'current';
