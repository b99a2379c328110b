import { BulkheadError, type ErrorCode } from '../../errors.js';
import type { EventBus } from '../../events.js';
import type { Guest } from '../../guests/guest.js';
import { type HookReport, runChain } from '../../hooks/chain.js';
import { openContext, readValues } from '../../hooks/context.js';
import { DIALECTS } from '../../hooks/dialects.js';
import type { HookDialect, LifecycleHook } from '../../hooks/names.js';
import type { PluginEntry } from '../../plugin/plugin.js';
import type { HookTexts } from '../hooks/hook-courier.js';
import { type HookRoom, runHook } from '../hooks/hook-step.js';
import { hasHook, hookEnded } from '../hooks/hook-owners.js';
import type { InitContext } from './init-context.js';
import type { EngineLimits } from '../options/limits.js';

export type ShutdownReason = 'shutdown' | 'uninstall' | 'disable' | 'reload';

/** What an entry does when a guest begins to serve it, and before the guest is let go. */
export interface Lifecycle {
  readonly dialect: HookDialect;
  readonly hasInit: boolean;
  /**
   * Runs `init` in a guest that was loaded and has run nothing yet. Rejects where its plugin is then
   * not to be used: the dialect says so of an `init` that throws, and one that does not end is killed.
   */
  begin(guest: Guest): Promise<void>;
  /** Runs `shutdown` in a guest that had begun, once, and not for long. Never rejects. */
  end(guest: Guest, reason: ShutdownReason): Promise<void>;
  /** Says that its `shutdown` was run by somebody else. */
  ended(guest: Guest): void;
}

export interface LifecycleSpec {
  readonly plugin: string;
  readonly entry: PluginEntry;
  readonly dialect: HookDialect;
  readonly texts: HookTexts;
  readonly room: () => HookRoom;
  /** What `init` is told of its plugin: `config`, `credentials`, `pluginStorageDir`. */
  readonly initContext: InitContext;
  readonly assistantVersion: string;
  readonly limits: EngineLimits;
  readonly events: EventBus;
}

/** Where an entry has neither hook, its guests need no more than to be loaded. */
export function makeLifecycle(spec: LifecycleSpec): Lifecycle | undefined {
  const { entry, plugin, dialect, limits, assistantVersion } = spec;
  const hasInit = hasHook(entry, 'init');
  const hasShutdown = hasHook(entry, 'shutdown');
  if (!hasInit && !hasShutdown) return undefined;
  const begun = new WeakSet<Guest>();

  return {
    dialect,
    hasInit,
    begin: async (guest) => {
      if (hasInit) {
        const given = { ...(await spec.initContext(guest)), assistantVersion };
        const { error } = await runOnce('init', given, guest, limits.loadTimeoutMs, spec);
        const isStopped = error?.code === 'DEADLINE_EXCEEDED' || !guest.alive;
        const aborts = DIALECTS[dialect].initThrown === 'aborts' || isStopped;
        if (error !== undefined && aborts) throw notBegun(plugin, error, limits.loadTimeoutMs);
      }
      begun.add(guest);
    },
    ended: (guest) => {
      begun.delete(guest);
    },
    end: async (guest, reason) => {
      if (!hasShutdown || !begun.delete(guest) || !guest.alive) return;
      const given = { assistantVersion, reason };
      await runOnce('shutdown', given, guest, limits.shutdownTimeoutMs, spec);
    },
  };
}

async function runOnce(
  hook: LifecycleHook,
  given: object,
  guest: Guest,
  deadlineMs: number,
  { plugin, dialect, texts, room, limits, events }: LifecycleSpec,
): Promise<HookReport> {
  const { store, courier } = texts;
  const { maxHookChangeBytes } = limits;
  const { reports } = await runChain({
    context: openContext(hook, readValues(hook, given), store, limits),
    steps: [
      {
        plugin,
        dialect,
        run: (context, shape) =>
          runHook(
            {
              plugin,
              dialect,
              courier,
              deadlineMs,
              maxHookChangeBytes,
              room: room(),
              acquire: () => guest,
            },
            context,
            shape,
          ),
      },
    ],
    store,
    limits,
    halts: false,
    now: () => performance.now(),
    onReport: (report, stack) => events.emit(hookEnded(hook, report, stack)),
  });
  const [report] = reports;
  if (report === undefined) throw new Error(`${hook} of ${plugin} was not run`);
  return report;
}

function notBegun(
  plugin: string,
  { code, message }: { readonly code: ErrorCode; readonly message: string },
  deadlineMs: number,
): BulkheadError {
  const why = `${plugin} is not loaded, because its init did not succeed: ${message}`;
  return code === 'DEADLINE_EXCEEDED'
    ? new BulkheadError(code, `${why} Open slow things when they are first needed.`, { deadlineMs })
    : new BulkheadError('LOAD_FAILED', why, { plugin });
}
