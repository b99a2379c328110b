import { readdirSync, readFileSync } from 'node:fs';

/** The resources of this process at one moment. */
export interface Sample {
  readonly rssMb: number;
  readonly heapMb: number;
  /** Memory of buffers, outside of the heap. */
  readonly externalMb: number;
  /** Open descriptors. */
  readonly descriptors: number;
  /** Processes that descend from this one. */
  readonly processes: number;
  /** Active resources, by kind. */
  readonly resources: Readonly<Record<string, number>>;
}

const MB = 1024 * 1024;

/** Linux only. Collects garbage first, if Node was started with --expose-gc. */
export function takeSample(): Sample {
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  return {
    rssMb: rss / MB,
    heapMb: heapUsed / MB,
    externalMb: external / MB,
    descriptors: readdirSync('/proc/self/fd').length,
    processes: descendants(process.pid).length,
    resources,
  };
}

/** The processes that descend from that one, zombies left out. */
export function descendants(pid: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? statOf(name) : undefined;
    if (found === undefined || found.state === 'Z') continue;
    children.set(found.parent, [...(children.get(found.parent) ?? []), Number(name)]);
  }
  const below = (parent: number): number[] =>
    (children.get(parent) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}

function statOf(name: string): { readonly state: string; readonly parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'latin1');
    const [, state = '', parent = ''] = text.slice(text.lastIndexOf(')')).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    // It was there a moment ago.
    return undefined;
  }
}
