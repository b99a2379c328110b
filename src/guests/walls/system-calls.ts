/** The architectures whose numbers of system calls are known here, by Node's names. */
export const ARCHITECTURES = ['x64', 'arm64'] as const;

export type Architecture = (typeof ARCHITECTURES)[number];

export function isArchitecture(name: string): name is Architecture {
  return ARCHITECTURES.some((known) => known === name);
}

/** The errors with which the filter answers. */
export const ERRNO = { EPERM: 1, ESRCH: 3, ENOSYS: 38 } as const;

export type Errno = keyof typeof ERRNO;

/** The process that the filter confines. Replaced by its number when the filter is installed. */
export const SELF = 0x5e1f_5e1f;

/** A condition on one argument of a system call, by position. Only its lower 32 bits are compared. */
export type Condition =
  /** Allowed if none of these bits is set. */
  | { readonly argument: number; readonly without: number }
  /** Allowed if one of these bits is set. */
  | { readonly argument: number; readonly having: number }
  /** Allowed if it is one of these values. */
  | { readonly argument: number; readonly among: readonly number[] }
  /** Allowed if it is none of these values. */
  | { readonly argument: number; readonly except: readonly number[] };

export interface Refusal {
  readonly name: string;
  /** Its number for each architecture that has it. */
  readonly numbers: Readonly<Partial<Record<Architecture, number>>>;
  readonly errno: Errno;
  /** Refused only if one of these does not hold; empty: always refused. */
  readonly unless: readonly Condition[];
}

/** A guest, or the process that bundles a plugin: that one starts esbuild and has an IPC channel. */
export type Confined = 'guest' | 'bundler';

/** The highest number that the table knows, on every architecture. Higher ones are unknown. */
export const HIGHEST_KNOWN = 469;

/** Numbers that no system call has. A later kernel could use them. */
export const GAPS: Readonly<Record<Architecture, readonly [number, number]>> = {
  x64: [337, 423],
  arm64: [295, 423],
};

/** `name x64 arm64`, one a line; `-` where an architecture lacks the call. Always refused. */
const ALWAYS = `
# files: names and metadata. Landlock does not cover them.
creat 85 -            truncate 76 45        ftruncate 77 46       fallocate 285 47
rename 82 -           renameat 264 38       renameat2 316 276     mkdir 83 -
mkdirat 258 34        rmdir 84 -            link 86 -             linkat 265 37
unlink 87 -           unlinkat 263 35       symlink 88 -          symlinkat 266 36
chmod 90 -            fchmod 91 52          fchmodat 268 53       fchmodat2 452 452
chown 92 -            fchown 93 55          lchown 94 -           fchownat 260 54
utime 132 -           utimes 235 -          futimesat 261 -       utimensat 280 88
setxattr 188 5        lsetxattr 189 6       fsetxattr 190 7       setxattrat 463 463
removexattr 197 14    lremovexattr 198 15   fremovexattr 199 16   removexattrat 466 466
mknod 133 -           mknodat 259 33        file_setattr 469 469  quotactl 179 60
quotactl_fd 443 443   flock 73 32           sendfile 40 71
sync 162 81           syncfs 306 267        fsync 74 82           fdatasync 75 83
sync_file_range 277 84
splice 275 76         tee 276 77
vmsplice 278 75       copy_file_range 326 285
name_to_handle_at 303 264                   open_by_handle_at 304 265
inotify_init 253 -    inotify_init1 294 26  inotify_add_watch 254 27
fanotify_init 300 262 fanotify_mark 301 263 ustat 136 -           cachestat 451 451
# sockets
socket 41 198         connect 42 203        bind 49 200           listen 50 201
accept 43 202         accept4 288 242       sendto 44 206         recvfrom 45 207
sendmmsg 307 269      recvmmsg 299 243
# other processes
tkill 200 130 ESRCH   rt_sigqueueinfo 129 138 ESRCH               rt_tgsigqueueinfo 297 240 ESRCH
execveat 322 281      pidfd_open 434 434    pidfd_getfd 438 438   pidfd_send_signal 424 424
ptrace 101 117        kcmp 312 272          process_vm_readv 310 270
process_vm_writev 311 271                   process_madvise 440 440
process_mrelease 448 448                    migrate_pages 256 238 move_pages 279 239
ioprio_set 251 30     ioprio_get 252 31     setsid 112 157        setpgid 109 154
capget 125 90
# memory outside the limit
memfd_create 319 279  memfd_secret 447 447  remap_file_pages 216 234
shmget 29 194         shmat 30 196          shmctl 31 195         shmdt 67 197
semget 64 190         semop 65 193          semctl 66 191         semtimedop 220 192
msgget 68 186         msgsnd 69 189         msgrcv 70 188         msgctl 71 187
mq_open 240 180       mq_unlink 241 181     mq_timedsend 242 182  mq_timedreceive 243 183
mq_notify 244 184     mq_getsetattr 245 185 mbind 237 235         set_mempolicy 238 237
set_mempolicy_home_node 450 450
timer_create 222 107
# large parts of the kernel
io_uring_setup 425 425                      io_uring_enter 426 426
io_uring_register 427 427                   io_setup 206 0        io_destroy 207 1
io_submit 209 2       io_cancel 210 3       io_getevents 208 4    io_pgetevents 333 292
userfaultfd 323 282   bpf 321 280           perf_event_open 298 241
add_key 248 217       request_key 249 218   keyctl 250 219        personality 135 92
lookup_dcookie 212 18 nfsservctl 180 42     uselib 134 -          sysfs 139 -
_sysctl 156 -         modify_ldt 154 -      iopl 172 -            ioperm 173 -
lsm_get_self_attr 459 459                   lsm_set_self_attr 460 460
lsm_list_modules 461 461
# namespaces, mounts and privileges
unshare 272 97        setns 308 268         chroot 161 51         pivot_root 155 41
mount 165 40          umount2 166 39        move_mount 429 429    open_tree 428 428
open_tree_attr 467 467                      fsopen 430 430        fsconfig 431 431
fsmount 432 432       fspick 433 433        mount_setattr 442 442 statmount 457 457
listmount 458 458     seccomp 317 277       landlock_create_ruleset 444 444
landlock_add_rule 445 445                   landlock_restrict_self 446 446
setuid 105 146        setgid 106 144        setreuid 113 145      setregid 114 143
setresuid 117 147     setresgid 119 149     setfsuid 122 151      setfsgid 123 152
setgroups 116 159     capset 126 91
# the machine
swapon 167 224        swapoff 168 225       reboot 169 142        acct 163 89
init_module 175 105   finit_module 313 273  delete_module 176 106 kexec_load 246 104
kexec_file_load 320 294                     vhangup 153 58        syslog 103 116
sethostname 170 161   setdomainname 171 162 settimeofday 164 170  clock_settime 227 112
adjtimex 159 171      clock_adjtime 305 266
# these two take their flags from memory, which a filter cannot read
clone3 435 435 ENOSYS openat2 437 437 ENOSYS
`;

/** Refused for a guest. The bundler starts esbuild and reads an IPC channel. */
const NOT_FOR_GUESTS = `
fork 57 -             vfork 58 -            socketpair 53 199
sendmsg 46 211        recvmsg 47 212        setsockopt 54 208
`;

const ROW = /([a-z0-9_]+) (\d+|-) (\d+|-)(?: (ESRCH|ENOSYS))?/g;

function readTable(text: string): Refusal[] {
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));
  return [...lines.join('\n').matchAll(ROW)].map(([, name = '', x64, arm64, errno]) => ({
    name,
    numbers: numbersOf(x64, arm64),
    errno: errno === 'ESRCH' || errno === 'ENOSYS' ? errno : 'EPERM',
    unless: [],
  }));
}

function numbersOf(x64 = '-', arm64 = '-'): Refusal['numbers'] {
  return {
    ...(x64 === '-' ? {} : { x64: Number(x64) }),
    ...(arm64 === '-' ? {} : { arm64: Number(arm64) }),
  };
}

/** O_WRONLY, O_RDWR, O_CREAT, O_TRUNC. O_TMPFILE needs one of the first two. */
const WRITING = 0o1103;
/** MAP_SHARED (also in MAP_SHARED_VALIDATE): neither counted by RLIMIT_DATA nor needed. MAP_GROWSDOWN: not counted. */
const UNCOUNTED = 0x101;
const CLONE_THREAD = 0x10000;
/** Every flag of clone that makes a namespace. */
const CLONE_NEW = 0x7e02_0000;
/**
 * Duplicates and flags of descriptors, the size of a pipe, and two that only ask. Not F_SETOWN and F_SETSIG
 * (signals to others), leases, notices, hints about files, and locks: two guests see the same files, and would
 * read each other's.
 */
const FCNTL_ALLOWED = [0, 1, 2, 3, 4, 1027, 1028, 1030, 1032];
/** SO_PEERCRED, SO_PEERSEC, SO_PEERGROUPS, SO_PEERPIDFD: the pipe of a guest would name and reach its host. */
const PEER_OPTIONS = [17, 31, 59, 77];
/** The clocks of the machine and of the caller. Negative ones are those of other processes. */
const CLOCKS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11];
/** Signals from 32 on are queued in memory that no limit counts. */
const QUEUED_SIGNALS = ~0x1f;
/** FIONBIO, FIONREAD, FIOCLEX, FIONCLEX, and three that only ask about a terminal. */
const IOCTL_ALLOWED = [0x5421, 0x541b, 0x5451, 0x5450, 0x5401, 0x5413, 0x802c_542a];
/** Names of threads and of memory, and what only reads. Not the signal at the host's death. */
const PRCTL_ALLOWED = [15, 16, 0x5356_4d41, 2, 3, 21, 23, 30, 39];

const SELF_OR_ZERO: Condition = { argument: 0, among: [0, SELF] };
const ZERO: readonly number[] = [0];

function conditional(confined: Confined): Refusal[] {
  const row = (
    name: string,
    x64: number | undefined,
    arm64: number,
    unless: readonly Condition[],
    errno: Errno = 'EPERM',
  ): Refusal => ({
    name,
    numbers: x64 === undefined ? { arm64 } : { x64, arm64 },
    errno,
    unless,
  });
  const oneProcess: readonly Condition[] = [
    { argument: 0, among: ZERO },
    { argument: 1, among: ZERO },
  ];
  const signals = (argument: number): readonly Condition[] => [
    { argument: 0, among: [SELF] },
    { argument, without: QUEUED_SIGNALS },
  ];
  const clock: readonly Condition[] = [{ argument: 0, among: CLOCKS }];
  return [
    { ...row('open', 2, 0, [{ argument: 1, without: WRITING }]), numbers: { x64: 2 } },
    row('openat', 257, 56, [{ argument: 2, without: WRITING }]),
    // guard: shared-memory-refused
    row('mmap', 9, 222, [{ argument: 3, without: UNCOUNTED }]),
    row('clone', 56, 220, [
      // guard: fork-refused
      confined === 'guest'
        ? { argument: 0, having: CLONE_THREAD }
        : { argument: 0, without: CLONE_NEW },
    ]),
    // guard: signals-refused
    row('kill', 62, 129, signals(1), 'ESRCH'),
    // The runtime of Go signals its own threads, in a process that is not the first. No process ends by SIGURG.
    row(
      'tgkill',
      234,
      131,
      confined === 'guest' ? signals(2) : [{ argument: 2, among: [23] }],
      'ESRCH',
    ),
    row('prlimit64', 302, 261, [{ argument: 0, among: ZERO }], 'ESRCH'),
    row('setpriority', 141, 140, oneProcess, 'ESRCH'),
    row('getpriority', 140, 141, oneProcess, 'ESRCH'),
    row('sched_setaffinity', 203, 122, [SELF_OR_ZERO], 'ESRCH'),
    // glibc asks it for each thread whose stack it describes, and goes on without it after ENOSYS alone. With another
    // error V8 takes the main thread's stack for that of a worker, and its garbage collector crashes.
    row('sched_getaffinity', 204, 123, [SELF_OR_ZERO], 'ENOSYS'),
    row('sched_setscheduler', 144, 119, [SELF_OR_ZERO], 'ESRCH'),
    row('sched_getscheduler', 145, 120, [SELF_OR_ZERO], 'ESRCH'),
    row('sched_setparam', 142, 118, [SELF_OR_ZERO], 'ESRCH'),
    row('sched_getparam', 143, 121, [SELF_OR_ZERO], 'ESRCH'),
    row('sched_setattr', 314, 274, [SELF_OR_ZERO], 'ESRCH'),
    row('sched_getattr', 315, 275, [SELF_OR_ZERO], 'ESRCH'),
    row('sched_rr_get_interval', 148, 127, [SELF_OR_ZERO], 'ESRCH'),
    row('getpgid', 121, 155, [SELF_OR_ZERO], 'ESRCH'),
    row('getsid', 124, 156, [SELF_OR_ZERO], 'ESRCH'),
    // guard: foreign-clocks-refused
    row('clock_gettime', 228, 113, clock),
    row('clock_getres', 229, 114, clock),
    row('clock_nanosleep', 230, 115, clock),
    row('prctl', 157, 167, [{ argument: 0, among: PRCTL_ALLOWED }]),
    row('ioctl', 16, 29, [{ argument: 1, among: IOCTL_ALLOWED }]),
    row('fcntl', 72, 25, [{ argument: 1, among: FCNTL_ALLOWED }]),
    // guard: peer-options-refused
    row('getsockopt', 55, 209, [{ argument: 2, except: PEER_OPTIONS }]),
  ];
}

/** The system calls that the filter refuses. */
export function refusedCalls(confined: Confined): readonly Refusal[] {
  return [
    ...readTable(ALWAYS),
    ...(confined === 'guest' ? readTable(NOT_FOR_GUESTS) : []),
    ...conditional(confined),
  ];
}
