import { NAMESPACES, type Namespace } from '../../../src/guests/walls/plan.js';
import { type Refusal, refusedCalls } from '../../../src/guests/walls/system-calls.js';

const KNOWN = new Map(refusedCalls('guest').map((refusal) => [refusal.name, refusal]));

/** Every flag of a namespace that clone and unshare know. */
const TIME = 0x80;
const EVERY_KIND = Object.values(NAMESPACES).reduce((all, flag) => all | flag, TIME);

function refuse(name: string, unless: Refusal['unless'] = []): Refusal {
  const known = KNOWN.get(name);
  if (known === undefined) throw new Error(`the table has no ${name}`);
  return { ...known, unless };
}

/**
 * `RestrictNamespaces=` of systemd: unshare, clone and setns make and enter only the allowed kinds. clone3
 * hides its flags, and is unknown.
 */
export function restrictNamespaces(allowed: readonly Namespace[]): readonly Refusal[] {
  const flags = allowed.reduce((all, name) => all | NAMESPACES[name], 0);
  const without = EVERY_KIND & ~flags;
  return [
    refuse('unshare', [{ argument: 0, without }]),
    // The low byte of clone's flags is a signal.
    refuse('clone', [{ argument: 0, without: without & ~0xff }]),
    refuse('setns', [{ argument: 1, without }]),
    refuse('clone3'),
  ];
}

/** `SystemCallFilter=~@mount` of systemd. */
export const noMounts: readonly Refusal[] = [
  'mount',
  'umount2',
  'pivot_root',
  'chroot',
  'move_mount',
  'open_tree',
  'open_tree_attr',
  'fsopen',
  'fsconfig',
  'fsmount',
  'fspick',
  'mount_setattr',
].map((name) => refuse(name));

/**
 * What Docker's default profile refuses to a container without privileges, of the calls that the table
 * knows.
 */
export const docker: readonly Refusal[] = [
  ...restrictNamespaces([]),
  ...noMounts,
  ...[
    'acct',
    'add_key',
    'bpf',
    'clock_adjtime',
    'clock_settime',
    'delete_module',
    'fanotify_init',
    'finit_module',
    'init_module',
    'io_uring_enter',
    'io_uring_register',
    'io_uring_setup',
    'ioperm',
    'iopl',
    'kcmp',
    'kexec_file_load',
    'kexec_load',
    'keyctl',
    'lookup_dcookie',
    'mbind',
    'move_pages',
    'nfsservctl',
    'open_by_handle_at',
    'perf_event_open',
    'pidfd_getfd',
    'process_madvise',
    'process_vm_readv',
    'process_vm_writev',
    'ptrace',
    'quotactl',
    'quotactl_fd',
    'reboot',
    'request_key',
    'set_mempolicy',
    'setdomainname',
    'sethostname',
    'settimeofday',
    'swapoff',
    'swapon',
    'syslog',
    'sysfs',
    'uselib',
    'userfaultfd',
    'ustat',
    'vhangup',
    '_sysctl',
  ].map((name) => refuse(name)),
  refuse('personality', [{ argument: 0, among: [0, 8, 0x20000, 0x20008, 0xffff_ffff] }]),
];

/** The privileges that Docker leaves to root. */
export const DOCKER_PRIVILEGES = [
  'chown',
  'dac_override',
  'fowner',
  'fsetid',
  'kill',
  'setgid',
  'setuid',
  'setpcap',
  'net_bind_service',
  'net_raw',
  'sys_chroot',
  'mknod',
  'audit_write',
  'setfcap',
] as const;
