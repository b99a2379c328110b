import { readFileSync, readdirSync, statSync } from 'node:fs';
import type { UserRange } from './plan.js';

/** Above the ids that systemd, container tools and distributions hand out, and below 2³¹. */
const DEFAULT_RANGE: UserRange = { first: 1_900_000_000, count: 10_000 };

/** In a container that maps few ids: the last ones before the overflow user. */
const SMALL_RANGE_COUNT = 1_000;
/** Linux shows an unmapped id as this one. */
const OVERFLOW_USER = 65_534;

export interface UserFiles {
  readonly passwd: string;
  readonly group: string;
  readonly subuid: string;
  readonly subgid: string;
  /** `/proc/self/uid_map`: the ids that exist in this user namespace. */
  readonly uidMap: string;
}

/**
 * The user ids for guests of a host that runs as root: `wanted`, or a range that exists here. `undefined`
 * if the range overlaps the ids of another user.
 */
export function findUserRange(
  wanted: UserRange | undefined,
  files: UserFiles,
): UserRange | undefined {
  const range = wanted ?? (isMapped(DEFAULT_RANGE, files.uidMap) ? DEFAULT_RANGE : SMALL_RANGE);
  if (!isMapped(range, files.uidMap)) return undefined;
  // guard: guest-users-apart
  return takenIds(files).some((taken) => overlaps(taken, range)) ? undefined : range;
}

const SMALL_RANGE: UserRange = {
  first: OVERFLOW_USER - SMALL_RANGE_COUNT,
  count: SMALL_RANGE_COUNT,
};

/** Reads the files of this machine. A file that does not exist names no id. */
export function readUserFiles(): UserFiles {
  return {
    passwd: read('/etc/passwd'),
    group: read('/etc/group'),
    subuid: read('/etc/subuid'),
    subgid: read('/etc/subgid'),
    uidMap: read('/proc/self/uid_map'),
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** An empty map is that of a system without user namespaces: every id exists. */
function isMapped({ first, count }: UserRange, uidMap: string): boolean {
  const lines = uidMap.trim().split('\n').filter(Boolean);
  return (
    lines.length === 0 ||
    lines.some((line) => {
      const [inside = 0, , length = 0] = line.trim().split(/\s+/).map(Number);
      return first >= inside && first + count <= inside + length;
    })
  );
}

function takenIds({ passwd, group, subuid, subgid }: UserFiles): UserRange[] {
  const single = (line: string): UserRange[] => {
    const [, , id] = line.split(':');
    return id === undefined || id === '' ? [] : [{ first: Number(id), count: 1 }];
  };
  const ranges = (line: string): UserRange[] => {
    const [, first, count] = line.split(':');
    return first === undefined ? [] : [{ first: Number(first), count: Number(count) }];
  };
  return [
    ...passwd.split('\n').flatMap(single),
    ...group.split('\n').flatMap(single),
    ...subuid.split('\n').flatMap(ranges),
    ...subgid.split('\n').flatMap(ranges),
  ];
}

function overlaps(a: UserRange, b: UserRange): boolean {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

let last: number | undefined;

/**
 * Where in the range the search for a free id starts. Each process starts elsewhere, so that two hosts
 * seldom try the same id.
 */
export function nextStart({ count }: UserRange): number {
  last = ((last ?? process.pid * 64) + 1) % count;
  return last;
}

/** An id of the range that no process has. The launcher of perl checks that itself. */
export function freeUser(range: UserRange): number {
  const used = new Set(
    readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      try {
        return [statSync(`/proc/${name}`).uid];
      } catch {
        return [];
      }
    }),
  );
  for (let tries = 0; tries < range.count; tries += 1) {
    const user = range.first + nextStart(range);
    if (!used.has(user)) return user;
  }
  throw new Error('every user id for guests is in use');
}
