import { BulkheadError, type ErrorCode } from '../../errors.js';
import type { Guest } from '../../guests/guest.js';
import { type HookSemantics, type LifecycleHook, SEMANTICS } from '../../plugin/hooks.js';
import type { LifecycleFactory, LifecycleSubject } from '../instance/instance.js';
import type { Settings } from '../types/settings.js';
import { type HookReport, runChain } from './chain.js';
import { openContext, readValues } from './context.js';
import { hasHook, hookEnded, semanticsOf } from './hooks.js';
import { runHook } from './run-hook.js';
import type { HookTexts } from './transport.js';

export interface LifecyclesSpec {
  readonly texts: HookTexts;
  readonly settings: Pick<Settings, 'hooks' | 'limits'>;
}

/** Runs `init` and `shutdown` of each entry under the entry's own semantics. */
export function makeLifecycles(spec: LifecyclesSpec): LifecycleFactory {
  const { limits, hooks } = spec.settings;
  const { assistantVersion } = hooks;
  return (subject) => {
    const { plugin, entry } = subject;
    const hasInit = hasHook(entry, 'init');
    const hasShutdown = hasHook(entry, 'shutdown');
    if (!hasInit && !hasShutdown) return undefined;
    const semantics = semanticsOf(plugin, entry, spec.settings);
    const rules = SEMANTICS[semantics];
    const begun = new WeakSet<Guest>();
    const run = (
      hook: LifecycleHook,
      given: object,
      guest: Guest,
      deadlineMs: number,
    ): Promise<HookReport> => runOnce({ hook, given, guest, deadlineMs, semantics }, subject, spec);

    return {
      hasInit,
      shutdownOrder: rules.shutdown,
      begin: async (guest) => {
        if (hasInit) {
          const given = { ...(await subject.initContext(guest)), assistantVersion };
          const { error } = await run('init', given, guest, limits.loadTimeoutMs);
          const isStopped = error?.code === 'DEADLINE_EXCEEDED' || !guest.alive;
          const aborts = rules.initThrown === 'aborts' || isStopped;
          if (error !== undefined && aborts) throw notBegun(plugin, error, limits.loadTimeoutMs);
        }
        begun.add(guest);
      },
      ended: (guest) => {
        begun.delete(guest);
      },
      end: async (guest, reason) => {
        if (!hasShutdown || !begun.delete(guest) || !guest.alive) return;
        await run('shutdown', { assistantVersion, reason }, guest, limits.shutdownTimeoutMs);
      },
    };
  };
}

interface LifecycleRun {
  readonly hook: LifecycleHook;
  readonly given: object;
  readonly guest: Guest;
  readonly deadlineMs: number;
  readonly semantics: HookSemantics;
}

async function runOnce(
  { hook, given, guest, deadlineMs, semantics }: LifecycleRun,
  { plugin, instance, events }: LifecycleSubject,
  { texts, settings: { limits } }: LifecyclesSpec,
): Promise<HookReport> {
  const { store, transport } = texts;
  const { maxHookChangeBytes } = limits;
  const { reports } = await runChain({
    context: openContext(hook, readValues(hook, given), store, limits),
    steps: [
      {
        plugin,
        semantics,
        run: (context, shape) =>
          runHook(
            {
              plugin,
              semantics,
              transport,
              deadlineMs,
              maxHookChangeBytes,
              instance,
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
