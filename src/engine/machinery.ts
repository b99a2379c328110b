import { join } from 'node:path';
import { STORAGE_LIMITS } from '../brokers/storage/limits.js';
import { makeStores, type Stores } from '../brokers/storage/store.js';
import { BulkheadError } from '../errors.js';
import type { EventBus } from '../events.js';
import { noteBlankUse } from '../guests/blank-use.js';
import { type Capacity, makeCapacity } from '../guests/capacity.js';
import { makeCodeCache } from '../guests/code-cache.js';
import {
  type Command,
  guestCommand,
  type GuestStyle,
  ownFlags,
  unconfinedCommand,
} from '../guests/command.js';
import { type Guest, startGuest } from '../guests/guest.js';
import type { Line } from '../guests/line.js';
import { inspectMachine } from '../guests/machine.js';
import { makeDemand } from '../guests/demand.js';
import { makeGuestPool } from '../guests/pool.js';
import { startSharedGuest } from '../guests/shared-guest.js';
import { type Guarantee, proveWalls } from '../guests/walls.js';
import { makeTraffic, type Traffic } from '../traffic/traffic.js';
import { makeBundleCache } from '../plugin/bundle/cache.js';
import type { Bundle, Plugin, PluginEntry } from '../plugin/plugin.js';
import { type HookTexts, makeHookTexts } from './hooks/hook-courier.js';
import { type Groups, makeGroups } from './entry/groups.js';
import { makeOffers, type Offers } from './entry/offers.js';
import { keepTexts } from './powers/kept-texts.js';
import { guestScripts, readValidator } from './powers/surroundings.js';
import type { Settings } from './options/settings.js';
import { makeValidatorCourier, type ValidatorCourier } from './entry/validator-courier.js';

/** The machine's side of an engine: guests to be had, bundles to be made, answers that were kept. */
export interface Machinery {
  /** A blank guest of that kind. */
  take(confinement: PluginEntry['confinement']): Guest;
  /** A blank guest, confined, with somebody on its line; it was sent the validator. */
  takeHeard(line: Line): Guest;
  /** Room for the guests that hold a plugin. */
  readonly capacity: Capacity;
  /** The calls of all plugins, and whose turn it is. */
  readonly traffic: Traffic;
  /** Whether guests can be stopped here without a risk that they stay when their host is gone. */
  readonly canRest: boolean;
  readonly groups: Groups;
  bundle(plugin: Plugin, entry: PluginEntry): Promise<Bundle>;
  readonly offers: Offers;
  readonly validator: ValidatorCourier;
  readonly hookTexts: HookTexts;
  /** What plugins keep, by plugin. */
  readonly stores: Stores;
  /** Found out once, on a blank guest. */
  guarantees(): Promise<readonly Guarantee[]>;
  close(): void;
}

/** From its start to a guest that is ready; a machine that is swapping takes seconds. */
const START_TIMEOUT_MS = 15_000;

/** From a take to the start of its replacement: whoever took a guest is busy loading it. */
const REFILL_DELAY_MS = 50;

/** About as long as a guest takes to start: whoever wants one meanwhile wants another. */
const TOGETHER_MS = 200;

/** What was wanted at once is kept ready for so long. */
const REMEMBERED_MS = 10_000;

export async function openMachinery(settings: Settings, events: EventBus): Promise<Machinery> {
  const { limits, cacheDirectory } = settings;
  const { use } = settings.walls;
  const script = guestScripts.confined();
  const [machine, source] = await Promise.all([inspectMachine(script), readValidator()]);
  const validator = makeValidatorCourier(source);
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
  // A stopped process sees no closed pipe: only a death signal ends it with its host.
  const canRest = machine.setpriv !== undefined;
  const start = (command: Command): Guest => startGuest(command, START_TIMEOUT_MS);
  const pool = makeGuestPool({
    size: limits.pool,
    maxSize: limits.maxPool,
    demand: makeDemand({
      togetherMs: TOGETHER_MS,
      rememberedMs: REMEMBERED_MS,
      now: () => performance.now(),
    }),
    shrinkAfterMs: REMEMBERED_MS,
    start: () => start(commandOf('alone')),
    prepare: (guest) => void validator.ahead(guest).then(() => noteBlankUse(guest)),
    refillDelayMs: REFILL_DELAY_MS,
    onChange: (blank) => events.emit({ type: 'pool-changed', blank }),
  });
  const bundles = makeBundleCache({ directory: join(cacheDirectory, 'bundles') });
  let guarantees: Promise<readonly Guarantee[]> | undefined;

  const prove = async (): Promise<readonly Guarantee[]> => {
    const guest = start(commandOf('alone'));
    try {
      return await proveWalls(guest, { machine, limits, use });
    } finally {
      guest.kill({ cause: 'closed', detail: 'it had shown its walls' });
    }
  };

  return {
    take: (confinement) =>
      confinement === 'compartment'
        ? pool.take()
        : start(unconfinedCommand(machine, guestScripts.unconfined(), definedOf(settings.env))),
    takeHeard: (line) => {
      const guest = startGuest(commandOf('alone'), START_TIMEOUT_MS, line);
      void validator.ahead(guest);
      return guest;
    },
    bundle: ({ directory }, { file, surfaces, virtualModules, confinement }) =>
      bundles.bundle({
        directory,
        entry: surfaces === undefined ? { file } : { surfaces },
        virtualModules: virtualModules ?? [],
        builtins: confinement === 'host' ? 'real' : 'powerless',
      }),
    capacity,
    traffic: makeTraffic(
      limits,
      (calls) => events.emit({ type: 'queue-changed', calls }),
      () => performance.now(),
    ),
    canRest,
    groups: makeGroups({
      settings,
      capacity,
      canRest,
      start: () => startSharedGuest(commandOf('shared'), START_TIMEOUT_MS),
    }),
    offers: makeOffers(keepTexts(join(cacheDirectory, 'offers')), settings),
    validator,
    hookTexts: makeHookTexts(),
    stores: makeStores(settings.storageDirectory, {
      ...STORAGE_LIMITS,
      maxBytes: limits.maxStorageBytes,
      maxFiles: limits.maxStorageFiles,
      maxFileBytes: limits.maxStorageFileBytes,
    }),
    guarantees: () => (guarantees ??= prove()),
    close: () => {
      capacity.close();
      pool.close();
      codeCache.close();
    },
  };
}

function definedOf(env: Settings['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Throws `WALL_MISSING` for the first required wall that does not stand. */
export function requireWalls(required: readonly string[], guarantees: readonly Guarantee[]): void {
  for (const name of required) {
    const found = guarantees.find(({ wall }) => wall === name);
    if (found?.stands === true) continue;
    throw new BulkheadError(
      'WALL_MISSING',
      `This machine does not give the wall ${name} that walls.require asks for: ${found?.evidence ?? 'it is not known'}. Remove it from walls.require to start without.`,
      { wall: name },
    );
  }
}
