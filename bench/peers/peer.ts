import { fib, floors } from '../plugins/echo/src/compute.js';

/** Another way to isolate untrusted code, measured on the same work. */
export interface Peer {
  readonly name: string;
  /** The isolation of the code, in a few words. */
  readonly isolation: string;
  /** Whether that is a process of its own: one that the host outlives. */
  readonly ownProcess: boolean;
  /** Its package, if the version is reported. */
  readonly package?: string;
  /** The module from which that is found; ours, unless it says so. */
  readonly beside?: string;
  /** The oldest Node version that it supports, if that is not ours. */
  readonly fromNode?: number;
  /** With no sandbox at all: what the others are held against. */
  readonly isFloor?: boolean;
  /** Starts one until it answers. Rejects if it is not installed, or does not support this Node. */
  open(work: PeerWork): Promise<OpenPeer>;
}

export interface OpenPeer {
  /** The process of the code, if it has its own. */
  readonly pid?: number;
  /** Runs the tool on an input that crosses by copy, and brings its result back. */
  call(input: unknown): Promise<unknown>;
  close(): void | Promise<void>;
}

/** What is run: the tool of the benchmark, or a computation. */
export type PeerWork = keyof typeof SOURCES;

/** Each work as the source of a function. */
export const SOURCES = {
  echo: '(async ({ city, s }) => ({ ok: true, len: s ? s.length : 0, city }))',
  fib: repeat(fib, 'fib(27)'),
  floors: repeat(floors, 'floors()'),
} as const;

function repeat(declared: (n: number) => number, expression: string): string {
  return `(async ({ times }) => {
    ${declared.toString()}
    let result = 0;
    for (let n = 0; n < times; n += 1) result = ${expression};
    return result;
  })`;
}
