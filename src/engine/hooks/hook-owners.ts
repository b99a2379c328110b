import type { EventBus } from '../../events.js';
import type { HookReport } from '../../hooks/chain.js';
import type { HookDialect, HookName } from '../../hooks/names.js';
import type { PluginEntry } from '../../plugin/plugin.js';
import type { Settings } from '../options/settings.js';

/** Whether an entry has a file for a hook. What is in it is seen when it runs. */
export function hasHook({ surfaces }: Pick<PluginEntry, 'surfaces'>, hook: HookName): boolean {
  return surfaces?.some(({ kind, stem }) => kind === 'hooks' && stem === hook) ?? false;
}

/** By what the host says of the plugin, or of all of them; else by what the plugin was written for. */
export function dialectOf(
  plugin: string,
  { edition }: Pick<PluginEntry, 'edition'>,
  { hooks: { dialect } }: Pick<Settings, 'hooks'>,
): HookDialect {
  if (typeof dialect === 'string') return dialect;
  const named =
    dialect !== undefined && Object.hasOwn(dialect, plugin) ? dialect[plugin] : undefined;
  return named ?? edition ?? 'classic';
}

/** What listeners are told of a hook that ran. */
export function hookEnded(
  hook: HookName,
  { plugin, changed, dropped, error, toolUses, durationMs }: HookReport,
  stack: string | undefined,
): Parameters<EventBus['emit']>[0] {
  return {
    type: 'hook-ended',
    plugin,
    hook,
    outcome: error === undefined ? 'ok' : 'error',
    ...(error === undefined ? {} : { code: error.code, message: error.message }),
    ...(stack === undefined ? {} : { stack }),
    changed,
    dropped,
    toolUsesAdded: toolUses?.added.map(({ name }) => name) ?? [],
    durationMs,
  };
}
