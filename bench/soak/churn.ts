import type { BulkheadEvent, Engine } from '../../src/index.js';
import { descendants } from './sample.js';

export interface ChurnSpec {
  readonly engine: Engine;
  readonly ids: readonly string[];
  /** Of them, how many are called all the time; any other now and then. */
  readonly live: number;
  /** It ends after so many calls or seconds, but not before each kind of trouble was made once. */
  readonly calls: number;
  readonly seconds: number;
  /** Calls under way at once. */
  readonly width: number;
  /** Least milliseconds between two things that go wrong. */
  readonly troubleMs: number;
  /** Between two times that all plugins are read again. */
  readonly reloadMs: number;
  /** Plugins whose guests are not killed. */
  readonly spared?: readonly string[];
  /** Plugins whose calls are isolated: by tenant, and by call. */
  readonly isolated?: { readonly byTenant: string; readonly byCall: string };
  /** A number from 0 to 1. */
  readonly random: () => number;
}

/**
 * Calls that succeed between two things that go wrong, and milliseconds that they may take. Where guests start slowly,
 * no call would succeed otherwise.
 */
const SUCCESSES = 8;
const SUCCESSES_MS = 5_000;

/** Most milliseconds beyond `seconds`: a slow machine makes few troubles in that time. */
const LATEST_MS = 60_000;

export interface ChurnResult {
  readonly calls: number;
  /** How many ended in which way. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** What went wrong on purpose, how often. */
  readonly troubles: Readonly<Record<string, number>>;
  /** Calls that were answered with something that is not theirs. */
  readonly wrong: number;
  readonly mostGuests: number;
}

/** Calls plugins from all sides while guests are killed, callers give up and plugins come and go. */
export async function churn(spec: ChurnSpec): Promise<ChurnResult> {
  const { engine, ids, random } = spec;
  const outcomes: Record<string, number> = {};
  const troubles: Record<string, number> = {};
  const guests = new Set<number>();
  const endsAtMs = performance.now() + spec.seconds * 1000;
  let calls = 0;
  let ended = 0;
  let wrong = 0;
  let mostGuests = 0;
  const off = engine.on((event: BulkheadEvent) => {
    if (event.type === 'guest-started' && spec.spared?.includes(event.plugin) !== true) {
      guests.add(event.pid);
    }
    if (event.type === 'guest-ended') guests.delete(event.pid);
    mostGuests = Math.max(mostGuests, guests.size);
  });
  const count = (of: Record<string, number>, name: string): void => {
    of[name] = (of[name] ?? 0) + 1;
  };
  const pick = (among: number): string => ids[Math.floor(random() * among)] ?? '';
  let hasHadAll = false;
  const goesOn = (): boolean => {
    const now = performance.now();
    if (!hasHadAll) return now < endsAtMs + LATEST_MS;
    return calls < spec.calls && now < endsAtMs;
  };

  const call = async (tool: string, input: object, options = {}): Promise<void> => {
    calls += 1;
    try {
      const { code = 'ok', value } = await engine.call(tool, input, options);
      count(outcomes, code);
      if (code === 'ok' && JSON.stringify(value) !== JSON.stringify(input)) wrong += 1;
    } catch (error) {
      // Of a plugin that is switched off just now.
      count(outcomes, error instanceof Error && 'code' in error ? String(error.code) : 'threw');
    }
    ended += 1;
  };

  const worker = async (): Promise<void> => {
    while (goesOn()) await call(`${pick(spec.live)}:echo`, { n: calls });
  };

  const callIsolated = async (plugin: string): Promise<void> => {
    const tenants = ['a', 'b', 'c', 'd'];
    await Promise.all(
      tenants.map((tenant) => call(`${plugin}:store`, { n: calls, tenant }, { tenant })),
    );
  };

  const TROUBLES: Readonly<Record<string, () => Promise<void>>> = {
    kill: async () => {
      const [pid] = [...guests].slice(Math.floor(random() * guests.size));
      // It may have exited, and another process may have its pid.
      if (pid !== undefined && descendants(process.pid).includes(pid)) process.kill(pid, 'SIGKILL');
    },
    loop: () => call(`${pick(spec.live)}:loop`, {}, { timeoutMs: 50 }),
    hang: () => call(`${pick(spec.live)}:hang`, {}, { timeoutMs: 50 }),
    throw: () => call(`${pick(spec.live)}:throw`, {}),
    abort: async () => {
      const controller = new AbortController();
      const given = call(`${pick(spec.live)}:hang`, {}, { signal: controller.signal });
      setTimeout(() => controller.abort(), 20);
      await given;
    },
    store: () => call(`${pick(spec.live)}:store`, { n: calls }),
    ...(spec.isolated === undefined
      ? {}
      : {
          tenants: () => callIsolated(spec.isolated?.byTenant ?? ''),
          alone: () => callIsolated(spec.isolated?.byCall ?? ''),
        }),
    seldom: () => call(`${pick(ids.length)}:echo`, { n: calls }),
    flood: async () => {
      const plugin = pick(spec.live);
      const flood = Array.from({ length: 1_000 }, (_, n) => call(`${plugin}:echo`, { n }));
      await Promise.all(flood);
    },
    switched: async () => {
      const plugin = pick(spec.live);
      await engine.setEnabled(plugin, false);
      await engine.setEnabled(plugin, true);
    },
    reload: () => engine.reload(),
  };
  const recover = async (): Promise<void> => {
    const { ok = 0 } = outcomes;
    const latestMs = performance.now() + SUCCESSES_MS;
    do await new Promise((resolve) => setTimeout(resolve, spec.troubleMs));
    while ((outcomes['ok'] ?? 0) < ok + SUCCESSES && performance.now() < latestMs && goesOn());
  };
  const makeTrouble = async (): Promise<void> => {
    await recover();
    let reloadAtMs = performance.now() + spec.reloadMs;
    const kinds = Object.keys(TROUBLES).filter((kind) => kind !== 'reload');
    for (let n = 0; goesOn();) {
      const reload = performance.now() >= reloadAtMs;
      const kind = reload ? 'reload' : (kinds[n % kinds.length] ?? '');
      if (!reload) n += 1;
      count(troubles, kind);
      await TROUBLES[kind]?.();
      // A reload may take longer than that on a slow machine, which is to make the other troubles too.
      if (reload) reloadAtMs = performance.now() + spec.reloadMs;
      hasHadAll ||= n >= kinds.length;
      await recover();
    }
  };

  await Promise.all([makeTrouble(), ...Array.from({ length: spec.width }, worker)]);
  off();
  return { calls: ended, outcomes, troubles, wrong, mostGuests };
}
