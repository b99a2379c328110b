import { storageDirectoryOf } from '../../../sandbox/wire/storage.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { BulkheadError } from '../../errors.js';
import type { EventBus } from '../../events.js';
import type { Guest } from '../../guests/guest.js';
import { didYouMean } from '../../did-you-mean.js';
import {
  HOOK_NAMES,
  type HookName,
  type HookSemantics,
  isHookName,
  SEMANTICS,
} from '../../plugin/hooks.js';
import type { PluginEntry } from '../../plugin/plugin.js';
import type { Instance } from '../instance/instance.js';
import type { InstalledPlugin } from '../plugins/installed.js';
import type { StopGate } from '../../stops/gate.js';
import { isCovered, stoppedError } from '../../stops/stop.js';
import type { Settings } from '../types/settings.js';
import type { DenialLog } from '../plugins/denial-log.js';
import { type ChainStep, type HookReport, runChain } from './chain.js';
import { openContext, readValues, resultOf } from './context.js';
import { runHook } from './run-hook.js';
import type { HookTexts } from './transport.js';
import { shareSignal } from '../../shared-signal.js';
import {
  anyText,
  checkOptions,
  either,
  milliseconds,
  oneOf,
  type OptionForms,
  signal,
  texts,
} from '../types/option-forms.js';

/** Lists and runs the hooks of an engine's plugins. */
export interface Hooks {
  /** The plugins with a hook of that name, in execution order. */
  list(hook: HookName): readonly HookOwner[];
  /**
   * Runs a hook of every plugin that has it, in order, on a context of plain data. Omitted fields
   * get their documented defaults. Throws `HOOK_NOT_FOUND`, `INVALID_OPTIONS`, `STOPPED` and `ENGINE_CLOSED`.
   * A plugin's failure is in its report. The plugin then loses only its own changes.
   */
  run(hook: string, context: object, options?: HookOptions): Promise<HookResult>;
}

export interface HookOwner {
  readonly plugin: string;
  readonly semantics: HookSemantics;
}

export interface HookOptions {
  /**
   * Ids of the plugins whose hooks run. The host's own plugins (`defaultPlugins`) always run.
   * Default: `null`, which means all plugins.
   */
  readonly enabledPlugins?: readonly string[] | null;
  /** Runs all hooks under these semantics. Default: each plugin's own semantics. */
  readonly semantics?: HookSemantics;
  /** Runs only hooks with these semantics. Default: all hooks. */
  readonly only?: HookSemantics;
  /**
   * The tenant of the conversation. The option `isolation` then runs the hook in the tenant's guest.
   * Default: one tenant for all hooks and calls without one.
   */
  readonly tenant?: string;
  /** Deadline for each hook, in milliseconds. Default and maximum: `limits.hookTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Cancels the running hook and skips the rest of the chain. Default: none. */
  readonly signal?: AbortSignal;
}

/** What each option of `engine.hooks.run` takes. */
const HOOK_OPTIONS: OptionForms<HookOptions> = {
  enabledPlugins: either(texts('["notes"]'), oneOf(null)),
  semantics: oneOf('classic', 'current'),
  only: oneOf('classic', 'current'),
  tenant: anyText,
  timeoutMs: milliseconds,
  signal,
};

export interface HookResult {
  /** The given context with defaults filled in and the hooks' changes applied. */
  readonly context: JsonObject;
  /** One report for each hook that ran, in execution order. */
  readonly reports: readonly HookReport[];
}

export interface HooksSpec {
  readonly settings: Settings;
  readonly events: EventBus;
  readonly denials: DenialLog;
  readonly texts: HookTexts;
  /** In registration order. */
  readonly installed: () => readonly InstalledPlugin[];
  /** Throws once the engine is closed. */
  readonly requireOpen: () => void;
  /** What the operator stopped. */
  readonly stops: StopGate;
}

export function makeHooks(spec: HooksSpec): Hooks {
  const { settings, events } = spec;
  const { limits } = settings;
  const { store } = spec.texts;

  return {
    list: (hook) => stepsOf(hook, {}, spec).map(({ plugin, semantics }) => ({ plugin, semantics })),
    run: async (name, given, options = {}) => {
      spec.requireOpen();
      checkOptions(options, HOOK_OPTIONS, 'engine.hooks.run');
      shareSignal(options.signal);
      if (!isHookName(name)) throw unknownHook(name);
      const stop = spec.stops.list().find((one) => isCovered(one, '', options.tenant));
      // guard: stopped-hooks-refused
      if (stop !== undefined) throw stoppedError(stop);
      const steps = stepsOf(name, options, spec);
      if (name === 'init') return runInits(given, steps, options, spec);
      const values = readValues(name, given, semanticsOfAll(steps, options, settings));
      if (steps.length === 0) return { context: resultOf(values), reports: [] };
      const { context, reports } = await runChain({
        context: openContext(name, values, store, limits),
        steps,
        store,
        limits,
        halts: settings.hooks.throws !== 'skip',
        signal: options.signal,
        now: () => performance.now(),
        denials: spec.denials,
        onReport: (report, stack) => events.emit(hookEnded(name, report, stack)),
      });
      return { context: resultOf(context.values), reports };
    },
  };
}

/**
 * Runs `init` of each plugin with its own context: its configuration and its storage directory, where
 * the host does not give them. Returns the last context and all reports.
 */
async function runInits(
  given: object,
  steps: readonly ChainStep[],
  options: HookOptions,
  spec: HooksSpec,
): Promise<HookResult> {
  const { settings, events } = spec;
  const { store } = spec.texts;
  const reports: HookReport[] = [];
  let context: JsonObject = resultOf(
    readValues('init', given, semanticsOfAll(steps, options, settings)),
  );
  for (const step of steps) {
    const own = spec.installed().find(({ plugin }) => plugin.id === step.plugin);
    const values = readValues(
      'init',
      {
        config: own?.activation.config ?? {},
        pluginStorageDir: storageDirectoryOf(step.plugin),
        assistantVersion: settings.hooks.assistantVersion,
        ...given,
      },
      [step.semantics],
    );
    const ran = await runChain({
      context: openContext('init', values, store, settings.limits),
      steps: [step],
      store,
      limits: settings.limits,
      halts: settings.hooks.throws !== 'skip',
      signal: options.signal,
      now: () => performance.now(),
      onReport: (report, stack) => events.emit(hookEnded('init', report, stack)),
    });
    context = resultOf(ran.context.values);
    reports.push(...ran.reports);
  }
  return { context, reports };
}

/** The semantics whose defaults apply: those of the hooks that will get the context. */
function semanticsOfAll(
  steps: readonly ChainStep[],
  options: HookOptions,
  { hooks: { semantics } }: Settings,
): readonly HookSemantics[] {
  const present = new Set(steps.map((step) => step.semantics));
  if (present.size > 0) return [...present].toSorted();
  return [options.semantics ?? (typeof semantics === 'string' ? semantics : 'classic')];
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
    .filter(({ semantics }) => options.only === undefined || semantics === options.only);
}

function stepsOfPlugin(
  hook: HookName,
  { plugin, entries, queue }: InstalledPlugin,
  options: HookOptions,
  { settings, texts: { transport } }: HooksSpec,
): readonly ChainStep[] {
  const { limits } = settings;
  return entries.flatMap(({ entry, instances }): ChainStep[] => {
    const [instance] = instances;
    if (instance === undefined || !hasHook(entry, hook)) return [];
    const semantics = options.semantics ?? semanticsOf(plugin.id, entry, settings);
    if (SEMANTICS[semantics].reserved.includes(hook)) return [];
    const run: ChainStep['run'] = async (context, shape) => {
      const leave = queue.hold();
      try {
        return await runIsolated(hook, instance, options.tenant, (own) =>
          runHook(
            {
              plugin: plugin.id,
              semantics,
              instance: own,
              transport,
              deadlineMs: Math.min(options.timeoutMs ?? Infinity, limits.hookTimeoutMs),
              maxHookChangeBytes: limits.maxHookChangeBytes,
              signal: options.signal,
              acquire: () => guestFor(hook, own),
            },
            context,
            shape,
          ),
        );
      } finally {
        leave();
      }
    };
    return [{ plugin: plugin.id, semantics, run }];
  });
}

/** The option `isolation` applies to hooks with data: not to `init` and `shutdown`. */
function runIsolated<Result>(
  hook: HookName,
  instance: Instance,
  tenant: string | undefined,
  run: (instance: Instance) => Promise<Result>,
): Promise<Result> {
  const { tenants } = instance;
  const isLifecycle = hook === 'init' || hook === 'shutdown';
  // guard: hooks-of-tenants-separate
  return tenants === undefined || isLifecycle ? run(instance) : tenants.run(tenant, run);
}

/** If the host runs `init` or `shutdown` itself, the engine does not run it again. */
async function guestFor(hook: HookName, { guests, lifecycle }: Instance): Promise<Guest> {
  if (hook === 'init') return guests.load();
  const guest = guests.current ?? (await guests.acquire());
  if (hook === 'shutdown') lifecycle?.ended(guest);
  return guest;
}

function unknownHook(name: string): BulkheadError {
  const close = didYouMean(name, HOOK_NAMES);
  const hint =
    close === undefined ? `There are ${HOOK_NAMES.join(', ')}.` : `Did you mean ${close}?`;
  return new BulkheadError('HOOK_NOT_FOUND', `There is no hook ${name.slice(0, 100)}. ${hint}`, {
    hook: name,
    ...(close === undefined ? {} : { close }),
  });
}

/** Whether an entry has a file for a hook. The file itself is not checked here. */
export function hasHook({ surfaces }: Pick<PluginEntry, 'surfaces'>, hook: HookName): boolean {
  return surfaces?.some(({ kind, stem }) => kind === 'hooks' && stem === hook) ?? false;
}

/** The host's choice for all plugins or this plugin; else the edition that the plugin targets. */
export function semanticsOf(
  plugin: string,
  { edition }: Pick<PluginEntry, 'edition'>,
  { hooks: { semantics } }: Pick<Settings, 'hooks'>,
): HookSemantics {
  if (typeof semantics === 'string') return semantics;
  const named =
    semantics !== undefined && Object.hasOwn(semantics, plugin) ? semantics[plugin] : undefined;
  return named ?? edition ?? 'classic';
}

/** Builds the event for a hook that ran. */
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
