import { NO_WALLS } from './walls/plan.js';
import type { Machine } from './walls/machine.js';

/** An inspector in each guest, for a debugger on this machine. */
export interface InspectorSpec {
  /** The port of 127.0.0.1 on which it listens; 0: one that is free. */
  readonly port: number;
  /** Called with its address when a guest waits for a debugger. */
  readonly onListening: (url: string) => void;
}

/** What a guest with an inspector lacks, as a list for a person. */
export const LOST_TO_INSPECTOR: readonly string[] = [
  'a network namespace of its own',
  'the filter of system calls',
  "Node's permission model",
];

/** Landlock's versions above this one refuse to listen on ports. */
const LANDLOCK_WITH_PORTS = 3;

/** A machine that gives guests only the walls behind which an inspector works. */
export function withoutInspectorWalls(machine: Machine): Machine {
  const { plan } = machine;
  const { permissionFlag: _, ...rest } = machine;
  return {
    ...rest,
    permissionFlag: undefined,
    plan:
      plan.builder === 'none'
        ? NO_WALLS
        : {
            ...plan,
            namespaces: plan.namespaces.filter((name) => name !== 'net'),
            systemCallFilter: false,
            landlock: Math.min(plan.landlock, LANDLOCK_WITH_PORTS),
          },
  };
}

/** Stops a guest before its first line until a debugger attaches. */
export function inspectorFlag({ port }: Pick<InspectorSpec, 'port'>): string {
  return `--inspect-brk=127.0.0.1:${port}`;
}

/**
 * Reads the standard error of a guest: calls `onListening` once with the address that Node writes there, or
 * `onFailed`. Node goes on without an inspector that cannot listen.
 */
export function watchInspector(
  { port, onListening }: InspectorSpec,
  onFailed: (reason: string) => void,
): (stderr: string) => void {
  let found = false;
  return (stderr) => {
    if (found) return;
    const [, url] = LISTENING.exec(stderr) ?? [];
    const [, reason] = FAILED.exec(stderr) ?? [];
    found = url !== undefined || reason !== undefined;
    if (url !== undefined) onListening(url);
    if (reason !== undefined) {
      onFailed(
        `its inspector cannot listen on port ${port} (${reason}); name another port, or 0 for a free one`,
      );
    }
  };
}

const FAILED = /^Starting inspector on 127\.0\.0\.1:\d{1,5} failed: ([a-z ]{1,80})$/m;

const LISTENING = /^Debugger listening on (ws:\/\/127\.0\.0\.1:\d{1,5}\/[\da-f-]{36})$/m;
