import type { Architecture } from './system-calls.js';

/**
 * Numbers of the system calls that the launcher makes. Calls from 424 on have the same number on every
 * architecture.
 */
const NUMBERS: Readonly<Record<Architecture, Readonly<Record<string, number>>>> = {
  x64: {
    prctl: 157,
    unshare: 272,
    mount: 165,
    umount2: 166,
    pivot_root: 155,
    setresuid: 117,
    setresgid: 119,
    setgroups: 116,
    capset: 126,
    exit_group: 231,
    prlimit64: 302,
  },
  arm64: {
    prctl: 167,
    unshare: 97,
    mount: 40,
    umount2: 39,
    pivot_root: 41,
    setresuid: 147,
    setresgid: 149,
    setgroups: 159,
    capset: 91,
    exit_group: 94,
    prlimit64: 261,
  },
};

/** The exit code of the launcher if a wall cannot be built. The program is not started then. */
export const NO_WALL_EXIT = 71;

/**
 * A program for perl that builds walls around itself and then becomes the program that it is given.
 * perl makes any system call by number, and perl-base is part of every Debian and Ubuntu. It uses no
 * module, so that it starts in some two milliseconds.
 *
 * Its arguments are `name value` pairs, then `--` and the program. Without a program it only tries.
 * Each step has to succeed; else it exits with `NO_WALL_EXIT` and names the step.
 *
 * ```
 *   launcher   a process of the host's group; waits for the guest and ends as it ended
 *    └─ init   process 1 of the PID namespace; its end ends whatever runs in there
 *        └─ program: own user, own root, no capability, limits, Landlock, seccomp
 * ```
 */
export function launcherText(architecture: Architecture): string {
  return SCRIPT.replaceAll(/NR_([a-z_0-9]+)/g, (_, name: string) => {
    const number = NUMBERS[architecture][name];
    if (number === undefined) throw new Error(`no number for ${name}`);
    return String(number);
  });
}

const SCRIPT = String.raw`
my (%o, $k);
while (@ARGV) { $k = shift; last if $k eq '--'; push @{$o{$k}}, shift }
sub one { $o{$_[0]} ? $o{$_[0]}[0] : undef }
sub fail { print STDERR "a wall cannot be built: $_[0]: $!\n"; exit ${NO_WALL_EXIT} }
sub call { my $step = shift; my $r = syscall(shift, @_); fail($step) if $r == -1; $r }
sub limit { my ($resource, $soft, $hard) = @_; my $l = pack('QQ', $soft, $hard);
  call('limits', NR_prlimit64, 0, $resource, $l, 0) }
sub at_most { my ($resource, $most) = @_; my $old = pack('QQ', 0, 0);
  call('limits', NR_prlimit64, 0, $resource, 0, $old);
  my ($soft, $hard) = map { $_ < $most ? $_ : 0 + $most } unpack 'QQ', $old;
  limit($resource, $resource == 4 ? $hard : $soft, $hard) }
sub dies { my $parent = shift; call('a death signal', NR_prctl, 1, 9, 0, 0, 0);
  exit 1 if getppid() != $parent }
sub powerless { my $header = pack('LL', 0x20080522, 0); my $none = pack('L6', 0, 0, 0, 0, 0, 0);
  syscall(NR_prctl, 24, $_, 0, 0, 0) for 0 .. 63;
  call('no capabilities', NR_capset, $header, $none);
  call('no new privileges', NR_prctl, 38, 1, 0, 0, 0) }
sub finish { my ($status) = @_; my $signal = $status & 127;
  if ($signal) { $SIG{$_} = 'DEFAULT' for 'TERM', 'XCPU'; kill $signal, $$; exit 128 + $signal }
  exit $status >> 8 }

umask 0022;
my $host = one('host');
# No core, also to a program that reads it: 0 stops files alone, and the kernel takes 1 as "none".
at_most(4, 1);

# A user of its own. Its first process may start a second, and no third: so the kernel counts whether
# another process has that user. The real user id reserves it for this launcher and its children.
my $user;
if ($o{user}) {
  my ($first, $count, $start) = split /,/, one('user');
  for my $i (0 .. $count - 1) {
    my $u = $first + ($start + $i) % $count;
    call('an own user', NR_setresuid, $u, $u, 0);
    my $old = pack('QQ', 0, 0);
    call('limits', NR_prlimit64, 0, 6, 0, $old);
    limit(6, 2, (unpack 'QQ', $old)[1]);
    my $second = fork;
    if (defined $second && !$second) { syscall(NR_exit_group, 0) }
    waitpid $second, 0 if defined $second;
    call('limits', NR_prlimit64, 0, 6, $old, 0);
    my $alone = defined $second;
    call('an own user', NR_setresuid, -1, 0, -1);
    if ($alone) { $user = $u; last }
  }
  if (!defined $user) { $! = 11; fail('an own user') }
  my $none = pack('L', 0);
  call('an own group', NR_setgroups, 0, $none);
  call('an own group', NR_setresgid, $user, $user, $user);
}
dies($host) if defined $host;

# Namespaces, each flag only where the machine allows it.
my $flags = 0 + (one('namespaces') || 0);
my $pid = $flags & 0x20000000;
if ($flags) {
  my ($u, $g) = ($> + 0, $) + 0);
  call('namespaces', NR_unshare, $flags);
  if ($flags & 0x10000000) {
    for (['setgroups', 'deny'], ['uid_map', "$u $u 1"], ['gid_map', "$g $g 1"]) {
      my $f;
      (open($f, '>', "/proc/self/$$_[0]") && syswrite($f, $$_[1]) && close($f)) or fail('the map of users');
    }
  }
}

# A root of its own: an empty file system, and in it the files that were named.
if (my $base = one('root')) {
  my $tmpfs = 'tmpfs'; my $options = 'mode=0755,size=64k'; my $top = '/'; my $here = '.';
  call('private mounts', NR_mount, 0, $top, 0, 0x44000, 0);
  call('an empty root', NR_mount, $tmpfs, $base, $tmpfs, 6, $options);
  for (@{$o{show}}, @{$o{see}}) {
    my $to = "$base$_";
    next if -e $to;
    my $path = $base;
    my @parts = split m{/}; shift @parts; my $name = pop @parts;
    for my $part (@parts) { $path .= "/$part"; mkdir $path }
    if (-d $_) { mkdir $to } else { open(my $f, '>', $to) or fail("a place for $_") }
    my $from = $_;
    call("$_ in the root", NR_mount, $from, $to, 0, 0x5000, 0);
  }
  chdir $base or fail('the root');
  call('the root', NR_pivot_root, $here, $here);
  call('the old root', NR_umount2, $here, 2);
  chdir '/' or fail('the root');
  my $readonly = pack('QQQQ', 3, 0, 0, 0);
  call('a root that is read-only', 442, -100, $top, 0x8000, $readonly, 32);
}

# Waits in a process without powers, and ends as its child ended.
sub wait_for { my $child = shift; call('closed descriptors', 436, 3, 0xffffffff, 0);
  powerless(); my $r; 1 while ($r = waitpid(-1, 0)) > 0 && $r != $child; $? }
if ($pid) {
  my $launcher = $$;
  defined(my $init = fork) or fail('a process');
  finish(wait_for($init)) if $init;
  dies(0);
  defined(my $child = fork) or fail('a process');
  if ($child) { my $s = wait_for($child); exit(($s & 127) ? 128 + ($s & 127) : $s >> 8) }
  $host = 1;
}

syscall(NR_prctl, 24, $_, 0, 0, 0) for 0 .. 63;
call('an own user', NR_setresuid, $user, $user, $user) if defined $user;
powerless();
dies($host) if defined $host;
for (@{$o{readable}}) { open(my $f, '<', $_) or fail("reading $_") }

# Landlock: reads and runs what was named, and nothing else. abi 4: no TCP; 6: no signals, no abstract sockets.
if (my $abi = one('landlock')) {
  my $files = $abi >= 5 ? 0xffff : $abi >= 3 ? 0x7fff : $abi >= 2 ? 0x3fff : 0x1fff;
  my $attributes = pack('QQQ', $files, $abi >= 4 ? 3 : 0, $abi >= 6 ? 3 : 0);
  my $rules = call('Landlock', 444, $attributes, $abi >= 6 ? 24 : $abi >= 4 ? 16 : 8, 0);
  for (@{$o{see}}, @{$o{show}}) {
    sysopen(my $f, $_, 010000000) or fail("Landlock for $_");
    my $right = m{^/dev/} ? 4 : -d $_ ? 13 : 5;
    my $rule = pack('Ql', $right, fileno $f);
    call("Landlock for $_", 445, $rules + 0, 1, $rule, 0);
  }
  call('Landlock', 446, $rules + 0, 0);
}

for (@{$o{most}}) { at_most(map { 0 + $_ } split /,/) }
for (@{$o{limit}}) { my ($resource, $soft, $hard) = split /,/; limit(map { 0 + $_ } $resource, $soft, $hard) }
# What the host passes on: three standard ones, two pipes, and V8's cached code.
call('closed descriptors', 436, 6, 0xffffffff, 0);

if (my $filter = one('seccomp')) {
  $filter = pack 'H*', $filter;
  my $self = pack 'L', $$; my $marker = pack 'H*', one('marker'); my $at = -1;
  substr($filter, $at, 4) = $self while ($at = index $filter, $marker) >= 0;
  my $program = pack 'Sx![P]P', length($filter) / 8, $filter;
  call('a filter of system calls', NR_prctl, 22, 2, $program, 0, 0);
}
if (!@ARGV) { exit 0 }
my $file = $ARGV[0];
exec {$file} @ARGV or fail("starting $file");
`;

/** A program for perl that prints the version of Landlock's interface; 0 if the kernel has none. */
export const LANDLOCK_VERSION = 'my $v = syscall(444, 0, 0, 1); print $v > 0 ? $v : 0';
