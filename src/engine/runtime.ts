import { join } from 'node:path';
import { LONGEST_TIMER_MS, storageLimitsOf } from './types/limits.js';
import { makeStores, type Stores } from '../brokers/storage/store.js';
import { BulkheadError } from '../errors.js';
import type { EventBus } from '../events.js';
import { makeCapacity } from '../guests/capacity.js';
import { makeCodeCache } from '../guests/code-cache.js';
import { guestCommand, type GuestStyle, ownFlags, unconfinedCommand } from '../guests/command.js';
import type { Command } from '../guests/walls/machine.js';
import { type Guest, startGuest } from '../guests/guest.js';
import { withoutPermissionModel } from '../guests/inspector.js';
import { inspectMachine } from '../guests/machine.js';
import { makeDemand, makeGuestPool, noteStandbyUse } from '../guests/pool.js';
import { startSharedGuest } from '../guests/shared-guest.js';
import { explainMissing } from '../guests/walls/plan.js';
import { diesWithHost, type Guarantee, proveWalls } from '../guests/walls/guarantees.js';
import { togetherOf } from '../lock/locked-packages.js';
import type { Bundler } from '../plugin/bundle/bundler.js';
import { makeBundleCache } from '../plugin/bundle/cache.js';
import type { BundleSpec } from '../plugin/bundle/spec.js';
import type { Bundle, Plugin, PluginEntry } from '../plugin/plugin.js';
import { type CallScheduler, makeCallScheduler } from '../scheduler/call-scheduler.js';
import { type GuestSource, makeGroups, makeValidatorDelivery } from './instance/guest-source.js';
import { guestScripts, guestStamp, readValidator } from './node/process-defaults.js';
import { bundlesForAuthor, walledBundler } from './node/walled-bundler.js';
import { openTextCache } from './node/text-cache.js';
import { type ContributionCache, makeContributionCache } from './plugins/contribution-cache.js';
import type { Settings } from './types/settings.js';
import { isDoneWithin } from '../waiting.js';

/** The machine resources of an engine: guests, bundles, files and the call scheduler. */
export interface EngineRuntime {
  readonly guests: GuestSource;
  /** Limits and queues the calls of all plugins. */
  readonly scheduler: CallScheduler;
  /** The files that plugins store, by plugin. */
  readonly stores: Stores;
  readonly contributions: ContributionCache;
  build(plugin: Plugin, entry: PluginEntry): Promise<Bundle>;
  readonly bundler: Bundler;
  /** Proves the walls once, on a standby guest. */
  guarantees(): Promise<readonly Guarantee[]>;
  /** Starts no more guests and calls, and ends the standby guests. */
  stop(): void;
  /** The same. Also kills all guests, and resolves when they have exited. */
  close(): Promise<void>;
}

/** Longest start of a guest, in milliseconds. A machine that swaps takes seconds. */
const START_TIMEOUT_MS = 15_000;

/** Longest wait for killed guests to exit, in milliseconds. */
const EXIT_TIMEOUT_MS = 5_000;

/** Delay before the pool replaces a taken guest, in milliseconds. The caller loads it meanwhile. */
const REFILL_DELAY_MS = 50;
/** The same for a plugin that its author changes: the guest of a save has the processors for itself. */
const AUTHOR_REFILL_DELAY_MS = 500;

/** Requests within this time count as simultaneous. About the start time of a guest. */
const TOGETHER_MS = 200;

/** The pool keeps as many guests as the last peak demand for this time, in milliseconds. */
const REMEMBERED_MS = 10_000;

export async function openEngineRuntime(
  settings: Settings,
  events: EventBus,
): Promise<EngineRuntime> {
  const { limits, cacheDirectory } = settings;
  const { inspector } = settings;
  const { use } = settings.walls;
  const script = guestScripts.confined();
  const [found, source] = await Promise.all([
    inspectMachine(script, settings.walls.users),
    readValidator(),
  ]);
  const machine = inspector === undefined ? found : withoutPermissionModel(found);
  const missing = explainMissing(machine.plan, machine.superuser);
  if (missing.length > 0) {
    settings.logger.warn(
      { missing },
      `A guest lacks here: ${missing.join('; ')}. Run bulkhead doctor for the reasons and the fixes.`,
    );
  }
  const validator = makeValidatorDelivery(source);
  const codeCache = makeCodeCache({
    directory: join(cacheDirectory, 'code'),
    node: machine.node,
    flags: ownFlags(machine, limits, use),
    script,
  });
  const commandOf = (kind: GuestStyle['kind']): Command =>
    guestCommand(machine, limits, script, [script], use, {
      kind,
      codeCache: codeCache.descriptor(),
    });
  const capacity = makeCapacity(limits, () => performance.now());
  // A stopped process does not notice a closed pipe. Only a death signal ends it with its host.
  const canSuspend = diesWithHost(machine);
  const live = new Set<Pick<Guest, 'ended' | 'kill'>>();
  const track = <Process extends Pick<Guest, 'ended' | 'kill'>>(one: Process): Process => {
    live.add(one);
    void one.ended.then(() => live.delete(one));
    return one;
  };
  const start = (command: Command): Guest => track(startGuest(command, START_TIMEOUT_MS));
  const startAlone = (): Guest => {
    if (inspector === undefined) return start(commandOf('alone'));
    const inspected = guestScripts.inspected();
    const style = { kind: 'alone', isInspected: true } as const;
    const command = guestCommand(machine, limits, inspected, [inspected], use, style);
    return track(startGuest(command, LONGEST_TIMER_MS, { inspector }));
  };
  const pool = makeGuestPool({
    size: limits.pool,
    maxSize: limits.maxPool,
    demand: makeDemand({
      togetherMs: TOGETHER_MS,
      rememberedMs: REMEMBERED_MS,
      now: () => performance.now(),
    }),
    shrinkAfterMs: REMEMBERED_MS,
    start: startAlone,
    prepare: (guest) => void validator.ahead(guest).then(() => noteStandbyUse(guest)),
    refillDelayMs: bundlesForAuthor() ? AUTHOR_REFILL_DELAY_MS : REFILL_DELAY_MS,
    onChange: (standby) => events.emit({ type: 'pool-changed', standby }),
  });
  const bundler = walledBundler(settings.walls.users);
  const bundles = makeBundleCache({
    directory: join(cacheDirectory, 'bundles'),
    bundler,
    prepares: bundlesForAuthor(),
  });
  let guarantees: Promise<readonly Guarantee[]> | undefined;

  const prove = async (): Promise<readonly Guarantee[]> => {
    const guest = start(commandOf('alone'));
    try {
      return await proveWalls(guest, { machine, limits, use, visible: [script] });
    } finally {
      guest.kill({ cause: 'closed', detail: 'it had shown its walls' });
    }
  };

  const guests: GuestSource = {
    take: (confinement) =>
      confinement === 'compartment'
        ? pool.take()
        : start(unconfinedCommand(machine, guestScripts.unconfined(), definedOf(settings.env))),
    takeTapped: (tap) => {
      const guest = track(startGuest(commandOf('alone'), START_TIMEOUT_MS, { tap }));
      void validator.ahead(guest);
      return guest;
    },
    capacity,
    canSuspend,
    groups: makeGroups({
      settings,
      capacity,
      canSuspend,
      start: () => {
        const shared = startSharedGuest(commandOf('shared'), START_TIMEOUT_MS);
        track(shared.handle);
        return shared;
      },
    }),
    validator,
  };

  const texts = openTextCache(join(cacheDirectory, 'offers'));
  let stopped = false;
  const stop = (): void => {
    if (stopped) return;
    stopped = true;
    capacity.close();
    pool.close();
    codeCache.close();
  };

  return {
    guests,
    bundler,
    build: ({ id, directory }, { file, surfaces, virtualModules, confinement }) =>
      bundles.bundle({
        directory,
        entry: surfaces === undefined ? { file } : { surfaces },
        virtualModules: virtualModules ?? [],
        builtins: confinement === 'host' ? 'real' : 'powerless',
        ...separateOf(settings, id, confinement),
        ...buildsOf(settings, id),
      }),
    scheduler: makeCallScheduler(
      limits,
      (calls) => events.emit({ type: 'queue-changed', calls }),
      () => performance.now(),
    ),
    contributions: makeContributionCache(texts, settings, guestStamp()),
    stores: makeStores(settings.storageDirectory, storageLimitsOf(limits)),
    guarantees: () => (guarantees ??= prove()),
    stop,
    close: async () => {
      stop();
      // guard: guests-killed-at-close
      for (const one of live) one.kill({ cause: 'closed', detail: 'its engine was closed' });
      await isDoneWithin(Promise.all([...live].map(({ ended }) => ended)), EXIT_TIMEOUT_MS);
      await Promise.all([texts.whenStored(), bundles.close()]);
    },
  };
}

function separateOf(
  { packages, lock }: Settings,
  id: string,
  confinement: PluginEntry['confinement'],
): Pick<BundleSpec, 'separate'> {
  if (confinement === 'host') return {};
  const plugins = lock?.read().plugins ?? {};
  // An accepted plugin is compared with its directory as it was accepted.
  const locked = Object.hasOwn(plugins, id) ? plugins[id] : undefined;
  const together =
    locked?.packages === undefined ? packages(id)?.together : togetherOf(locked.packages);
  if (together !== undefined) return { separate: { together } };
  return bundlesForAuthor() ? { separate: 'installed' } : {};
}

function buildsOf({ packageBuilds = {} }: Settings, id: string): Pick<BundleSpec, 'packageBuilds'> {
  const chosen = Object.hasOwn(packageBuilds, id) ? packageBuilds[id] : undefined;
  return chosen === undefined ? {} : { packageBuilds: chosen };
}

function definedOf(env: Settings['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Throws `WALL_MISSING` for the first required wall that is missing. */
export function requireWalls(required: readonly string[], guarantees: readonly Guarantee[]): void {
  for (const name of required) {
    const found = guarantees.find(({ wall }) => wall === name);
    if (found?.active === true) continue;
    throw new BulkheadError(
      'WALL_MISSING',
      `This machine does not give the wall ${name} that walls.require asks for: ${found?.evidence ?? 'it is not known'}. Remove it from walls.require to start without.`,
      { wall: name },
    );
  }
}
