import { execFile } from 'node:child_process';
import type { Isolation } from './command.js';

export interface IsolationSpec {
  readonly shell: string;
  readonly unshare: string | undefined;
  readonly bwrap: string | undefined;
  readonly setpriv: string | undefined;
  /** Whether the host runs as the superuser. */
  readonly superuser: boolean;
  /** What a guest has to be able to read, its own script first of all. */
  readonly readable: readonly string[];
}

/** Nothing of it, on systems and in containers that allow none. */
export const NO_ISOLATION: Isolation = { network: [], dropPrivileges: false };

/** A kernel that does not answer within this time allows nothing that we could rely on. */
const TRIAL_MS = 5_000;

/**
 * Finds out what the kernel lets us take from a guest, by trying it on a program that does nothing
 * but look whether it could still read what a guest has to read. Takes a few milliseconds.
 */
export async function findIsolation(spec: IsolationSpec): Promise<Isolation> {
  for (const isolation of candidates(spec)) {
    if (await works(isolation, spec)) return isolation;
  }
  return NO_ISOLATION;
}

function candidates({ unshare, bwrap, setpriv, superuser }: IsolationSpec): Isolation[] {
  const canDrop = superuser && setpriv !== undefined;
  return [
    // Without a mapping of users a process is nobody in its namespace, and has no privilege there.
    ...by(unshare, ['--user', '--net', '--ipc', '--'], false),
    // Namespaces of users may be forbidden where those of networks are not, to the superuser.
    ...(canDrop ? by(unshare, ['--net', '--ipc', '--'], true) : []),
    // It may be allowed what others are not: some systems let it alone make namespaces.
    ...by(bwrap, BWRAP, false),
    ...(canDrop ? [{ network: [], dropPrivileges: true }] : []),
  ];
}

/** All of the file system as it is, and none of the network. */
const BWRAP = [
  '--unshare-user',
  '--unshare-net',
  '--unshare-ipc',
  '--die-with-parent',
  '--cap-drop',
  'ALL',
  '--dev-bind',
  '/',
  '/',
  '--',
];

function by(
  program: string | undefined,
  options: readonly string[],
  dropPrivileges: boolean,
): Isolation[] {
  return program === undefined ? [] : [{ network: [program, ...options], dropPrivileges }];
}

function works({ network, dropPrivileges }: Isolation, spec: IsolationSpec): Promise<boolean> {
  const drop =
    dropPrivileges && spec.setpriv !== undefined
      ? [spec.setpriv, '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--']
      : [];
  const look = 'for path; do test -r "$path" || exit 1; done';
  const [file = '', ...args] = [
    ...network,
    ...drop,
    spec.shell,
    '-c',
    look,
    'look',
    ...spec.readable,
  ];
  return new Promise((resolve) => {
    execFile(file, args, { env: {}, timeout: TRIAL_MS, killSignal: 'SIGKILL' }, (error) =>
      resolve(error === null),
    );
  });
}
