import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { BulkheadError } from '../../errors.js';
import type { EventBus } from '../../events.js';
import { type ChainStep, type HookReport, runChain } from '../../hooks/chain.js';
import { openContext, readValues, resultOf } from '../../hooks/context.js';
import { DIALECTS } from '../../hooks/dialects.js';
import { HOOK_NAMES, type HookDialect, type HookName, isHookName } from '../../hooks/names.js';
import type { Guest } from '../../guests/guest.js';
import { closest } from '../../permissions/closest.js';
import type { OpenEntry } from '../entry/entry.js';
import type { HookTexts } from './hook-courier.js';
import { dialectOf, hasHook, hookEnded } from './hook-owners.js';
import { runHook } from './hook-step.js';
import type { Installed } from '../plugins/installed.js';
import type { Settings } from '../options/settings.js';

/** The hooks of an engine's plugins. */
export interface Hooks {
  /** The plugins that have a hook of that name, in the order in which they run. */
  list(hook: HookName): readonly HookOwner[];
  /**
   * Runs a hook of every plugin that has it, one after the other, on a context of plain data. What
   * the host leaves out has its documented default. Throws `HOOK_NOT_FOUND`, `INVALID_OPTIONS` and
   * `ENGINE_CLOSED`; whatever a plugin does wrong is in its report, and costs its own changes.
   */
  run(hook: string, context: object, options?: HookOptions): Promise<HookResult>;
}

export interface HookOwner {
  readonly plugin: string;
  readonly dialect: HookDialect;
}

export interface HookOptions {
  /**
   * The conversation's plugins: others are passed over, but for the host's own (`defaultPlugins`).
   * `null`, the default: all of them.
   */
  readonly enabledPlugins?: readonly string[] | null;
  /** Runs every plugin's hook by the rules of that dialect. Default: each by its own. */
  readonly dialect?: HookDialect;
  /** Passes over the hooks of the other dialect. */
  readonly only?: HookDialect;
  /** A shorter deadline, for each hook, than `limits.hookTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Gives up what is left of the chain. */
  readonly signal?: AbortSignal;
}

export interface HookResult {
  /** As it was given, with what the hooks changed, and the defaults of what was not given. */
  readonly context: JsonObject;
  /** Of each plugin whose hook was run, in order. */
  readonly reports: readonly HookReport[];
}

export interface HooksSpec {
  readonly settings: Settings;
  readonly events: EventBus;
  readonly texts: HookTexts;
  /** In the order in which they are registered. */
  readonly installed: () => readonly Installed[];
  /** Throws once the engine is closed. */
  readonly requireOpen: () => void;
}

export function makeHooks(spec: HooksSpec): Hooks {
  const { settings, events } = spec;
  const { limits } = settings;
  const { store } = spec.texts;

  return {
    list: (hook) => stepsOf(hook, {}, spec).map(({ plugin, dialect }) => ({ plugin, dialect })),
    run: async (name, given, options = {}) => {
      spec.requireOpen();
      if (!isHookName(name)) throw unknownHook(name);
      const steps = stepsOf(name, options, spec);
      const values = readValues(name, given, dialectsOf(steps, options, settings));
      if (steps.length === 0) return { context: resultOf(values), reports: [] };
      const { context, reports } = await runChain({
        context: openContext(name, values, store, limits),
        steps,
        store,
        limits,
        halts: settings.hooks.throws !== 'skip',
        signal: options.signal,
        now: () => performance.now(),
        onReport: (report, stack) => events.emit(hookEnded(name, report, stack)),
      });
      return { context: resultOf(context.values), reports };
    },
  };
}

/** By whose documents a host may leave something out: those of whoever gets to see it. */
function dialectsOf(
  steps: readonly ChainStep[],
  options: HookOptions,
  { hooks: { dialect } }: Settings,
): readonly HookDialect[] {
  const present = new Set(steps.map((step) => step.dialect));
  if (present.size > 0) return [...present].toSorted();
  return [options.dialect ?? (typeof dialect === 'string' ? dialect : 'classic')];
}

function stepsOf(hook: HookName, options: HookOptions, spec: HooksSpec): readonly ChainStep[] {
  const { enabledPlugins = null } = options;
  return spec
    .installed()
    .filter(
      ({ plugin: { id, origin } }) =>
        enabledPlugins === null || origin === 'default' || enabledPlugins.includes(id),
    )
    .flatMap((one) => stepsOfPlugin(hook, one, options, spec))
    .filter(({ dialect }) => options.only === undefined || dialect === options.only);
}

function stepsOfPlugin(
  hook: HookName,
  { plugin, entries, lane }: Installed,
  options: HookOptions,
  { settings, texts: { courier } }: HooksSpec,
): readonly ChainStep[] {
  const { limits } = settings;
  return entries.flatMap(({ entry, rooms }): ChainStep[] => {
    const [room] = rooms;
    if (room === undefined || !hasHook(entry, hook)) return [];
    const dialect = options.dialect ?? dialectOf(plugin.id, entry, settings);
    if (DIALECTS[dialect].reserved.includes(hook)) return [];
    const run: ChainStep['run'] = async (context, shape) => {
      const leave = lane.visit();
      try {
        return await runHook(
          {
            plugin: plugin.id,
            dialect,
            room,
            courier,
            deadlineMs: Math.min(options.timeoutMs ?? Infinity, limits.hookTimeoutMs),
            maxHookChangeBytes: limits.maxHookChangeBytes,
            signal: options.signal,
            acquire: () => guestFor(hook, room),
          },
          context,
          shape,
        );
      } finally {
        leave();
      }
    };
    return [{ plugin: plugin.id, dialect, run }];
  });
}

/** A host that runs `init` or `shutdown` by hand does so instead of the engine. */
async function guestFor(hook: HookName, { resident, lifecycle }: OpenEntry): Promise<Guest> {
  if (hook === 'init') return resident.load();
  const guest = resident.current ?? (await resident.acquire());
  if (hook === 'shutdown') lifecycle?.ended(guest);
  return guest;
}

function unknownHook(name: string): BulkheadError {
  const close = closest(name, HOOK_NAMES);
  const hint =
    close === undefined ? `There are ${HOOK_NAMES.join(', ')}.` : `Did you mean ${close}?`;
  return new BulkheadError('HOOK_NOT_FOUND', `There is no hook ${name.slice(0, 100)}. ${hint}`, {
    hook: name,
    ...(close === undefined ? {} : { close }),
  });
}
