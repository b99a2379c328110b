/** The namespaces that a guest can have of its own, with their flags of `unshare(2)`. */
export const NAMESPACES = {
  user: 0x1000_0000,
  net: 0x4000_0000,
  pid: 0x2000_0000,
  ipc: 0x0800_0000,
  uts: 0x0400_0000,
  cgroup: 0x0200_0000,
  mount: 0x0002_0000,
} as const;

export type Namespace = keyof typeof NAMESPACES;

/** User ids that no person, service or container of this machine has. */
export interface UserRange {
  readonly first: number;
  readonly count: number;
}

/**
 * The walls that this machine can build around a process, found by trying. Every later guest gets all of
 * them or does not start.
 */
export interface WallPlan {
  /**
   * The program that builds them: `perl` makes the system calls itself; `bwrap` is bubblewrap; `chain` is
   * a chain of util-linux's programs and a shell; `none` off Linux.
   */
  readonly builder: 'perl' | 'bwrap' | 'chain' | 'none';
  readonly namespaces: readonly Namespace[];
  /** Whether it sees node, its libraries and its own files, and nothing else. */
  readonly ownRoot: boolean;
  /** The version of Landlock's interface; 0 if it is not used. */
  readonly landlock: number;
  /** Whether the kernel filters its system calls. */
  readonly systemCallFilter: boolean;
  /** On a host that runs as root: each process gets a user id of this range. */
  readonly ownUser: UserRange | undefined;
}

export const NO_WALLS: WallPlan = {
  builder: 'none',
  namespaces: [],
  ownRoot: false,
  landlock: 0,
  systemCallFilter: false,
  ownUser: undefined,
};

/** What a plan lacks, as a list for a person; empty if it has every wall. */
export function explainMissing(plan: WallPlan, superuser: boolean): readonly string[] {
  const apart = (['net', 'pid', 'ipc'] as const).filter((name) => !plan.namespaces.includes(name));
  const files =
    plan.landlock > 0
      ? 'a root of its own (Landlock refuses files, but their names stay visible)'
      : 'a root of its own';
  return [
    ...(plan.ownRoot ? [] : [files]),
    ...(plan.systemCallFilter ? [] : ['a filter of system calls']),
    ...(apart.length === 0 ? [] : [`namespaces of its own (${apart.join(', ')})`]),
    ...(superuser && plan.ownUser === undefined ? ['a user id of its own'] : []),
  ];
}

/** The walls of a plan, one word each. */
export function wallsOf(plan: WallPlan): readonly string[] {
  return [
    ...plan.namespaces.map((name) => `${name}-namespace`),
    ...(plan.ownRoot ? ['own-root'] : []),
    ...(plan.landlock > 0 ? ['landlock'] : []),
    ...(plan.systemCallFilter ? ['system-call-filter'] : []),
    ...(plan.ownUser === undefined ? [] : ['own-user']),
  ];
}
