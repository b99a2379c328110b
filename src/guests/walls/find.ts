import { spawn } from 'node:child_process';
import type { Command, Machine } from './machine.js';
import { behindWalls } from './build.js';
import { type Namespace, NO_WALLS, type UserRange, type WallPlan, wallsOf } from './plan.js';

export interface FindSpec {
  readonly machine: Machine;
  readonly users: UserRange | undefined;
  /** The version of Landlock's interface; 0 if the kernel has none. */
  readonly landlock: number;
  /** What a guest has to be able to read, such as its script. */
  readonly readable: readonly string[];
}

/** Milliseconds. A kernel that takes longer does not build walls reliably. */
const TRIAL_MS = 5_000;

/**
 * Finds the strongest walls of this machine by trying them: all that a builder can build; if that fails,
 * each alone, added to those that work. The absence of one wall takes no other.
 */
export async function findWalls(spec: FindSpec): Promise<WallPlan> {
  let best: WallPlan = NO_WALLS;
  for (const plan of buildersOf(spec)) {
    const found = await strongest(plan, spec);
    if (found === undefined) continue;
    if (best.builder === 'none' || isStronger(found, best)) best = found;
    if (isWhole(best, spec)) break;
  }
  return best;
}

/** A root of its own is worth more than any number of other walls. */
function isStronger(a: WallPlan, b: WallPlan): boolean {
  return a.ownRoot === b.ownRoot ? wallsOf(a).length > wallsOf(b).length : a.ownRoot;
}

function isWhole(plan: WallPlan, { machine: { superuser } }: FindSpec): boolean {
  return plan.ownRoot && plan.systemCallFilter && (!superuser || plan.ownUser !== undefined);
}

const APART: readonly Namespace[] = ['net', 'pid', 'ipc', 'uts', 'cgroup', 'mount'];

/** What each builder of this machine can build at most, the most capable first. */
function buildersOf({ machine, users, landlock }: FindSpec): WallPlan[] {
  const { tools, architecture, superuser, filters } = machine;
  const user: readonly Namespace[] = superuser ? [] : ['user'];
  const ownUser = superuser ? users : undefined;
  const filter = architecture !== undefined;
  return [
    ...(tools.perl !== undefined && filter
      ? [
          planOf('perl', {
            namespaces: [...user, ...APART],
            ownRoot: true,
            landlock,
            systemCallFilter: true,
            ownUser,
          }),
        ]
      : []),
    ...(tools.bwrap !== undefined && tools.shell !== undefined
      ? [
          planOf('bwrap', {
            namespaces: ['user', ...APART],
            ownRoot: true,
            systemCallFilter: filters !== undefined,
            ownUser: tools.setpriv === undefined ? undefined : ownUser,
          }),
        ]
      : []),
    ...(tools.shell !== undefined
      ? [
          planOf('chain', {
            namespaces: tools.unshare === undefined ? [] : [...user, ...APART],
            ownRoot: tools.unshare !== undefined,
            ownUser: tools.setpriv === undefined ? undefined : ownUser,
          }),
        ]
      : []),
  ];
}

function planOf(builder: WallPlan['builder'], walls: Partial<WallPlan>): WallPlan {
  return { ...NO_WALLS, ...walls, builder };
}

/** `undefined` if the builder does not work at all. */
async function strongest(all: WallPlan, spec: FindSpec): Promise<WallPlan | undefined> {
  if (await works(all, spec)) return all;
  let found: WallPlan = { ...NO_WALLS, builder: all.builder };
  if (all.builder !== 'bwrap' && !(await works(found, spec))) return undefined;
  for (const step of stepsOf(all, spec)) {
    const next = step(found);
    if (next !== found && (await works(next, spec))) found = next;
  }
  return wallsOf(found).length === 0 && all.builder === 'bwrap' ? undefined : found;
}

type Step = (plan: WallPlan) => WallPlan;

/** The walls of a plan, one after another, each on top of those that worked. */
function stepsOf(all: WallPlan, { machine: { superuser } }: FindSpec): Step[] {
  const add =
    (name: Namespace): Step =>
    (plan) => ({ ...plan, namespaces: [...plan.namespaces, name] });
  // bwrap always makes a mount namespace, and needs a root to start anything.
  if (all.builder === 'bwrap') {
    const least: readonly Namespace[] = ['mount'];
    return [
      (plan) => ({ ...plan, ownRoot: true, namespaces: ['user', ...least] }),
      (plan) => ({ ...plan, systemCallFilter: plan.ownRoot && all.systemCallFilter }),
      (plan) => (plan.ownRoot ? { ...plan, ownUser: all.ownUser } : plan),
      ...APART.filter((name) => name !== 'mount').map(
        (name): Step =>
          (plan) =>
            plan.ownRoot ? add(name)(plan) : plan,
      ),
    ];
  }
  // Only the end of a PID namespace ends what the chain starts as another user.
  const hasRoot = ({ namespaces }: WallPlan): boolean =>
    all.ownRoot && (all.builder !== 'chain' || namespaces.includes('pid'));
  const ownRoot: Step = (plan) =>
    hasRoot(plan) && !plan.ownRoot
      ? { ...plan, ownRoot: true, namespaces: [...new Set([...plan.namespaces, 'mount' as const])] }
      : plan;
  const namespaces = all.namespaces.filter((name) => name !== 'user' && name !== 'mount');
  const missing = namespaces.map(
    (name): Step =>
      (plan) =>
        plan.namespaces.includes(name) ? plan : add(name)(plan),
  );
  const inUser: Step = (plan) =>
    plan.namespaces.includes('user') ? plan : { ...plan, namespaces: ['user', ...plan.namespaces] };
  return [
    (plan) => (all.systemCallFilter ? { ...plan, systemCallFilter: true } : plan),
    (plan) => (all.landlock > 0 ? { ...plan, landlock: all.landlock } : plan),
    (plan) => (all.ownUser === undefined ? plan : { ...plan, ownUser: all.ownUser }),
    // Root needs no user namespace, unless it lacks the privilege to make the others.
    ...(superuser ? [...missing, ownRoot] : []),
    (plan) => (superuser && plan.namespaces.length > 0 ? plan : inUser(plan)),
    ...missing,
    ownRoot,
  ];
}

/**
 * Tries a plan on the program that guests are: node, which has to start and to be able to read. perl
 * checks by itself what can be read.
 */
async function works(plan: WallPlan, { machine, readable }: FindSpec): Promise<boolean> {
  const { node } = machine;
  const command = behindWalls(
    { ...machine, plan },
    {
      program: plan.builder === 'perl' ? [node, '--version'] : [node, '-e', READ, ...readable],
      limits: { dataBytes: undefined, cpuSeconds: undefined, processes: TRIAL_PROCESSES },
      use: ['no-network'],
      visible: readable,
    },
  );
  return (await exitOf(command)) === 0;
}

const READ = "process.argv.slice(1).forEach((path) => require('node:fs').accessSync(path, 4))";

const TRIAL_PROCESSES = 64;

function exitOf({ file, args, env, filter }: Command): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      env,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', filter ?? 'ignore'],
      timeout: TRIAL_MS,
      killSignal: 'SIGKILL',
    });
    child.on('error', () => resolve(null));
    child.on('exit', (code) => resolve(code));
  });
}
