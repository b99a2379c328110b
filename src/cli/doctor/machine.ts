import { join } from 'node:path';
import type { Engine } from '../../agent/agent.js';
import type { EngineOptions } from '../../engine/types/options.js';
import type { Guarantee } from '../../guests/walls/guarantees.js';
import { textOf } from '../../plugin/answer.js';
import type { CliCapabilities } from '../capabilities.js';
import { silentLogger } from '../engine-options.js';
import { type Failure, failureOf } from '../failure.js';
import { round } from '../invoke.js';

/** A kernel setting that decides whether a guest can have its own network namespace. */
export interface KernelSetting {
  readonly file: string;
  readonly value: string;
  /** The problem with this value and its fix; absent if the value is fine. */
  readonly problem?: string;
}

const SETTINGS: readonly {
  readonly file: string;
  readonly forbids: (value: number) => boolean;
  readonly problem: string;
}[] = [
  {
    file: '/proc/sys/user/max_user_namespaces',
    forbids: (value) => value === 0,
    problem: 'no user may create a namespace: sysctl -w user.max_user_namespaces=10000',
  },
  {
    file: '/proc/sys/kernel/unprivileged_userns_clone',
    forbids: (value) => value === 0,
    problem: 'only root may create a namespace: sysctl -w kernel.unprivileged_userns_clone=1',
  },
  {
    file: '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    forbids: (value) => value === 1,
    problem:
      'AppArmor allows only named programs to create a namespace: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or a profile for unshare',
  },
];

/** The settings that this kernel has. */
export async function readKernelSettings({
  readFile,
}: Pick<CliCapabilities, 'readFile'>): Promise<readonly KernelSetting[]> {
  const found = await Promise.all(
    SETTINGS.map(async ({ file, forbids, problem }) => {
      const value = (await readFile(file).catch(() => '')).trim();
      return value === '' ? [] : [{ file, value, ...(forbids(Number(value)) ? { problem } : {}) }];
    }),
  );
  return found.flat();
}

/** The outcome of running an example plugin on this machine. */
export type TrialRun =
  | {
      readonly works: true;
      /** Milliseconds from the plugin's directory to its first result, including a process start. */
      readonly firstCallMs: number;
      /** Milliseconds of the next call. */
      readonly callMs: number;
      /** Whether the cache works: the next engine does not inspect the plugin again. */
      readonly caches: boolean;
      readonly walls: readonly Guarantee[];
    }
  | { readonly works: false; readonly failure: Failure };

const PLUGIN = 'plugins/pandora/lorem';
const TOOL = 'lorem:lorem';
const INPUT = { count: 3 };

/** Runs an example plugin in two engines. Never throws. */
export async function tryPlugin(
  capabilities: Pick<CliCapabilities, 'createEngine' | 'fixtures' | 'now'>,
  options: Pick<EngineOptions, 'walls'>,
): Promise<TrialRun> {
  const { createEngine, fixtures, now } = capabilities;
  const open = (): Promise<Engine> =>
    createEngine({
      plugins: [join(fixtures, PLUGIN)],
      grant: 'declared',
      limits: { pool: 0 },
      logger: silentLogger,
      ...options,
    });
  try {
    const began = now();
    await using engine = await open();
    const failure = await callOnce(engine);
    if (failure !== undefined) return { works: false, failure };
    const firstCallMs = round(now() - began);
    const again = now();
    await callOnce(engine);
    const callMs = round(now() - again);
    const walls = await engine.guarantees();
    return { works: true, firstCallMs, callMs, caches: await isCached(open), walls };
  } catch (error) {
    return { works: false, failure: failureOf(error) };
  }
}

async function callOnce(engine: Engine): Promise<Failure | undefined> {
  const { isError, code = 'TOOL_FAILED', content } = await engine.call(TOOL, INPUT);
  return isError ? { code, message: textOf(content) } : undefined;
}

/** With a working cache, the second engine starts one guest only, for the call. */
async function isCached(open: () => Promise<Engine>): Promise<boolean> {
  await using engine = await open();
  let started = 0;
  engine.on((event) => {
    if (event.type === 'plugin-loaded') started += 1;
  });
  await callOnce(engine);
  return started === 1;
}
