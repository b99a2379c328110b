import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRecord } from '../../../sandbox/wire/json.js';
import { kernelLimits } from '../command.js';
import type { Command, Machine, ProcessLimits } from './machine.js';
import { behindWalls, type WalledProgram } from './build.js';
import { CRASHING, type Deeds, runCrashes } from './crash-canary.js';
import { refusedCalls } from './system-calls.js';

/**
 * Canaries do what a wall refuses, with real programs: no limit's value shows that a wall works. The
 * same program runs without walls, too. Only what it does there shows something when it fails.
 */
export interface Canaries {
  readonly walled: Deeds;
  readonly open: Deeds;
  /** Refused system calls that were tried behind the filter, and those that it did not refuse. */
  readonly calls: { readonly tried: number; readonly passed: readonly string[] } | undefined;
  /** How a program ended that computed beyond a limit of one second: `done`, or a signal or status. */
  readonly compute: string | undefined;
}

const NOTHING: Canaries = { walled: {}, open: {}, calls: undefined, compute: undefined };

export interface CanarySpec {
  readonly machine: Machine;
  readonly limits: ProcessLimits;
  readonly use: WalledProgram['use'];
  readonly visible: readonly string[];
  /** The libraries of perl, for the canary that makes system calls. */
  readonly perlLibraries: readonly string[];
}

const TRIAL_MS = 20_000;

/** What a canary allocates above the limit. Nothing writes to it, so that it takes no memory. */
const ABOVE_LIMIT_BYTES = 64 * 1024 * 1024;

/** Runs the canaries. Never rejects. */
export async function runCanaries(spec: CanarySpec): Promise<Canaries> {
  const { machine } = spec;
  const directory = await mkdtemp(join(tmpdir(), 'bulkhead-canary-')).catch(() => undefined);
  if (directory === undefined) return NOTHING;
  const servers: Server[] = [];
  try {
    // A program with another user enters it.
    await chmod(directory, 0o711);
    const name = directory.slice(directory.lastIndexOf('/') + 1);
    const path = join(directory, 'socket');
    const port = await listen(servers, { host: '127.0.0.1', port: 0 });
    await listen(servers, { path });
    const abstract = `\0${name}`;
    const hasAbstract = await listen(servers, { path: abstract }).then(
      () => true,
      () => false,
    );
    const targets = async (run: string): Promise<string> => {
      const files = join(directory, run);
      await mkdir(files);
      for (const file of FILES) await writeFile(join(files, file), 'canary');
      return JSON.stringify({
        files,
        path,
        port,
        host: process.pid,
        bytes: (kernelLimits(machine, spec.limits).dataBytes ?? 0) + ABOVE_LIMIT_BYTES,
        ...(hasAbstract ? { abstract } : {}),
      });
    };
    const node = [machine.node, '-e', JAVASCRIPT];
    const { perl, shell } = machine.tools;
    const native = perl === undefined ? undefined : [perl, '-e', NATIVE, String(process.pid)];
    const behind = (program: readonly string[], more: readonly string[] = []): Command =>
      behindWalls(machine, {
        program,
        limits: kernelLimits(machine, spec.limits),
        use: spec.use,
        visible: [...spec.visible, ...more],
      });
    const free = ([file = '', ...args]: readonly string[]): Command => ({ file, args, env: {} });
    const crashing = perl === undefined ? undefined : [perl, '-e', CRASHING];
    const [walled, open, nativeWalled, nativeOpen, calls, compute, crashes] = await Promise.all([
      deeds(behind([...node, await targets('walled')])),
      deeds(free([...node, await targets('open')])),
      native &&
        deeds(behind([...native, await nativeTarget(directory, 'walled')], nativeFiles(spec))),
      native && deeds(free([...native, await nativeTarget(directory, 'open')])),
      sweep(spec, behind),
      computes(spec),
      crashing && shell !== undefined
        ? runCrashes(directory, shell, {
            walled: behind(crashing, nativeFiles(spec)),
            open: free(crashing),
          })
        : undefined,
    ]);
    return {
      walled: { ...walled, ...nativeWalled, ...crashes?.walled },
      open: { ...open, ...nativeOpen, ...crashes?.open },
      calls,
      compute,
    };
  } catch {
    return NOTHING;
  } finally {
    for (const server of servers) server.close();
    await rm(directory, { recursive: true, force: true }).catch(() => undefined);
  }
}

function listen(servers: Server[], where: object): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(where, () => {
      servers.push(server);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

const FILES = ['read', 'write', 'truncate', 'unlink', 'rename', 'chmod', 'utimes', 'link'];

/** Each deed runs alone; its outcome is `done` or the code of its error. */
const JAVASCRIPT = `
const fs = require('node:fs');
const { files, path, abstract, port, host, bytes } = JSON.parse(process.argv[1]);
const at = (name) => files + '/' + name;
const connect = (where) => new Promise((resolve, reject) => require('node:net').connect(where)
  .on('connect', resolve).on('error', reject));
const deeds = {
  read: () => fs.readFileSync(at('read')),
  write: () => fs.closeSync(fs.openSync(at('write'), 'r+')),
  create: () => fs.closeSync(fs.openSync(at('created'), 'wx')),
  truncate: () => fs.truncateSync(at('truncate')),
  unlink: () => fs.unlinkSync(at('unlink')),
  rename: () => fs.renameSync(at('rename'), at('renamed')),
  chmod: () => fs.chmodSync(at('chmod'), 0o600),
  utimes: () => fs.utimesSync(at('utimes'), 0, 0),
  symlink: () => fs.symlinkSync('/', at('symlink')),
  link: () => fs.linkSync(at('link'), at('linked')),
  mkdir: () => fs.mkdirSync(at('mkdir')),
  process: () => fs.readFileSync('/proc/' + host + '/cmdline'),
  signal: () => process.kill(host, 'SIGURG'),
  priority: () => require('node:os').setPriority(host, require('node:os').getPriority(host)),
  child: () => {
    const { error } = require('node:child_process').spawnSync(process.execPath, ['--version']);
    if (error) throw error;
  },
  'socket in the file system': () => connect({ path }),
  ...(abstract === undefined ? {} : { 'abstract socket': () => connect({ path: abstract }) }),
  port: () => connect({ host: '127.0.0.1', port }),
  memory: () => new ArrayBuffer(bytes),
};
(async () => {
  const outcomes = {};
  for (const [name, deed] of Object.entries(deeds)) {
    try { await deed(); outcomes[name] = 'done'; } catch (error) { outcomes[name] = (error.info || error).code || 'failed'; }
  }
  fs.writeSync(1, JSON.stringify(outcomes));
  process.exit(0);
})();
`;

async function nativeTarget(directory: string, run: string): Promise<string> {
  const file = join(directory, `${run}-native`);
  await writeFile(file, 'canary');
  return file;
}

function nativeFiles({ machine, perlLibraries }: CanarySpec): readonly string[] {
  const { perl } = machine.tools;
  return perl === undefined ? [] : [perl, ...perlLibraries];
}

/** What JavaScript has no function for, as system calls of x86-64 and of arm64. */
const NATIVE = String.raw`
my ($host, $file) = @ARGV;
my ($mmap, $memfd, $shmget, $vm) = -e '/lib64/ld-linux-x86-64.so.2' ? (9, 319, 29, 310) : (222, 279, 194, 270);
my %e = (1, 'EPERM', 2, 'ENOENT', 3, 'ESRCH', 13, 'EACCES', 30, 'EROFS', 38, 'ENOSYS');
my @out;
sub deed { my ($name, $ok) = @_; my $n = 0 + $!; my $why = $e{$n} || "errno $n";
  push @out, '"' . $name . '":"' . ($ok ? 'done' : $why) . '"' }
my $f;
deed('map a file', open($f, '+<', $file) && syscall($mmap, 0, 4096, 3, 1, fileno $f, 0) != -1);
deed('map shared memory', syscall($mmap, 0, 4096, 3, 33, -1, 0) != -1);
my $name = 'canary';
deed('make a file in memory', syscall($memfd, $name, 0) != -1);
deed('make a shared segment', syscall($shmget, 0, 4096, 0600) != -1);
my $child = fork; exit 0 if defined $child && !$child;
deed('fork', defined $child);
print '{' . join(',', @out) . '}';
`;

function deeds({ file, args, env, filter }: Command): Promise<Deeds> {
  return new Promise((resolve) => {
    const child: ChildProcess = spawn(file, args, {
      env,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'ignore', 'ignore', 'ignore', 'ignore', filter ?? 'ignore'],
      timeout: TRIAL_MS,
      killSignal: 'SIGKILL',
    });
    let text = '';
    child.stdout?.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
    child.on('error', () => resolve({}));
    child.on('close', () => resolve(parseDeeds(text)));
  });
}

/** The shortest limit of the kernel. */
const COMPUTE_SECONDS = 1;

/** So long it may take on a busy machine to compute for as long. */
const COMPUTE_TRIAL_MS = 120_000;

/**
 * Computes for much longer than it may: the kernel counts the time of a limit by its ticks, and on a
 * busy virtual machine it sees fewer of them than the time that it reports.
 */
const COMPUTE = `
const used = () => { const { user, system } = process.cpuUsage(); return user + system; };
while (used() < ${10 * COMPUTE_SECONDS}e6);
require('node:fs').writeSync(1, 'done');
`;

/** Needs no control: no other limit has this signal. */
function computes({ machine, limits, use, visible }: CanarySpec): Promise<string | undefined> {
  // Without a builder nothing sets a limit.
  if (machine.plan.builder === 'none') return Promise.resolve(undefined);
  const { file, args, env, filter } = behindWalls(machine, {
    program: [machine.node, '-e', COMPUTE],
    limits: { ...kernelLimits(machine, limits), cpuSeconds: COMPUTE_SECONDS },
    use,
    visible,
  });
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      env,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'ignore', 'ignore', 'ignore', 'ignore', filter ?? 'ignore'],
      timeout: COMPUTE_TRIAL_MS,
      killSignal: 'SIGKILL',
    });
    let text = '';
    child.stdout?.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
    child.on('error', () => resolve(undefined));
    child.on('close', (code, signal) => resolve(text || endOf(code, signal)));
  });
}

/** A launcher that cannot end by the same signal exits with 128 and its number. */
function endOf(code: number | null, signal: string | null): string {
  return code === 128 + constants.signals.SIGXCPU ? 'SIGXCPU' : (signal ?? `status ${code}`);
}

function parseDeeds(text: string): Deeds {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isRecord(parsed)) return {};
    return Object.fromEntries(Object.entries(parsed).map(([name, what]) => [name, String(what)]));
  } catch {
    return {};
  }
}

/** Makes every system call that is always refused, with arguments that do nothing. */
async function sweep(
  spec: CanarySpec,
  behind: (program: readonly string[], more: readonly string[]) => Command,
): Promise<Canaries['calls']> {
  const { plan, architecture, tools } = spec.machine;
  if (!plan.systemCallFilter || architecture === undefined || tools.perl === undefined) {
    return undefined;
  }
  const calls = refusedCalls('guest').flatMap(({ name, numbers, unless }) => {
    const number = numbers[architecture];
    const isFork = name === 'fork' || name === 'vfork';
    return unless.length > 0 || isFork || number === undefined ? [] : [`${name}=${number}`];
  });
  const outcomes = await deeds(behind([tools.perl, '-e', SWEEP, ...calls], nativeFiles(spec)));
  const tried = Object.keys(outcomes).length;
  if (tried === 0) return undefined;
  return {
    tried,
    passed: Object.entries(outcomes).flatMap(([name, what]) => (what === 'refused' ? [] : name)),
  };
}

const SWEEP = String.raw`
my @out;
for (@ARGV) { my ($name, $number) = split /=/;
  my $refused = syscall(0 + $number, -1, 0, 0, 0, 0, 0) == -1 && ($! == 1 || $! == 3 || $! == 38);
  push @out, '"' . $name . '":"' . ($refused ? 'refused' : 'passed') . '"' }
print '{' . join(',', @out) . '}';
`;
