import { spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildSync } from 'esbuild';
import { afterEachFile } from '../../tidying.js';
import { guestScripts } from '../../../src/engine/node/process-defaults.js';
import type { Refusal } from '../../../src/guests/walls/system-calls.js';
import { makeFilter } from '../../../src/guests/walls/seccomp.js';
import { isArchitecture } from '../../../src/guests/walls/system-calls.js';
import { fixture } from '../attempt.js';
import type { Combination, HostReport } from './host.js';

export const isRoot = process.geteuid?.() === 0;

/** The number of an ordinary user. It needs no entry in a file. */
export const ORDINARY = 1000;

export interface HostSetting {
  /** Default: the user of this process. */
  readonly user?: number;
  /** System calls that its service manager or container refuses. */
  readonly outer?: readonly Refusal[];
  /** For a host of root: the only privileges that its container leaves it. Default: all. */
  readonly privileges?: readonly string[];
  readonly combinations: Readonly<Record<string, Combination>>;
}

const directories: string[] = [];
afterEachFile(() => {
  for (const directory of directories.splice(0))
    rmSync(directory, { recursive: true, force: true });
});

/** Runs the host of `host.ts` with the setting. Everything that it reads is a copy that all users can read. */
export async function runHost({
  user,
  outer,
  privileges,
  combinations,
}: HostSetting): Promise<HostReport> {
  const { directory, node, host, script, attack, foreign } = stage();
  const identity = [
    // A host of root has the group 0 beside its own: a guest must not inherit it.
    ...(user === undefined && isRoot ? [SETPRIV, '--groups=0', '--'] : []),
    ...(user === undefined || !isRoot
      ? []
      : [SETPRIV, `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--']),
    ...(privileges === undefined
      ? []
      : [SETPRIV, `--bounding-set=-all,${privileges.map((name) => `+${name}`).join(',')}`, '--']),
  ];
  const order = JSON.stringify({ script, attack, foreign, combinations });
  const program = [...identity, ...behindFilter(outer), node, host, order];
  const child = spawn(program[0] ?? '', program.slice(1), {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  try {
    return JSON.parse(out) as HostReport;
  } catch {
    throw new Error(`the host printed no report: ${out}${err}`);
  }
}

const SETPRIV = '/usr/bin/setpriv';

let staged:
  | {
      readonly directory: string;
      readonly node: string;
      readonly host: string;
      readonly script: string;
      readonly attack: string;
      readonly foreign: string | undefined;
    }
  | undefined;

/** Once per file: the host as one file, the guest's script and the attack, readable for every user. */
function stage(): NonNullable<typeof staged> {
  if (staged !== undefined && directories.includes(staged.directory)) return staged;
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-native-host-'));
  directories.push(directory);
  chmodSync(directory, 0o1777);
  const copy = (from: string, to: string): string => {
    copyFileSync(from, join(directory, to));
    chmodSync(join(directory, to), 0o755);
    return join(directory, to);
  };
  const host = join(directory, 'host.mjs');
  buildSync({
    entryPoints: [join(import.meta.dirname, 'host.ts')],
    outfile: host,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
  chmodSync(host, 0o755);
  const foreign = process.arch === 'x64' ? join(directory, 'foreign') : undefined;
  if (foreign !== undefined) {
    writeFileSync(foreign, foreignProgram(), { mode: 0o755 });
  }
  staged = {
    foreign,
    directory,
    host,
    node: isForAll(process.execPath) ? process.execPath : copy(process.execPath, 'node'),
    script: copy(guestScripts.confined(), 'guest.cjs'),
    attack: copy(join(fixture('broken-out'), 'native.pl'), 'native.pl'),
  };
  return staged;
}

/** A program of x86-64 that asks for its number by the 32-bit interface, and ends with status 0. */
function foreignProgram(): Buffer {
  const code = Buffer.from(
    // mov eax, 20; int 0x80; mov eax, 60; xor edi, edi; syscall
    'b814000000cd80b83c00000031ff0f05',
    'hex',
  );
  const at = 0x400000;
  const head = Buffer.alloc(120);
  head.write('\x7fELF\x02\x01\x01', 'latin1');
  head.writeUInt16LE(2, 16);
  head.writeUInt16LE(62, 18);
  head.writeUInt32LE(1, 20);
  head.writeBigUInt64LE(BigInt(at + head.length), 24);
  head.writeBigUInt64LE(64n, 32);
  head.writeUInt16LE(64, 52);
  head.writeUInt16LE(56, 54);
  head.writeUInt16LE(1, 56);
  // One segment: read and execute, the whole file.
  head.writeUInt32LE(1, 64);
  head.writeUInt32LE(5, 68);
  head.writeBigUInt64LE(BigInt(at), 80);
  head.writeBigUInt64LE(BigInt(at), 88);
  head.writeBigUInt64LE(BigInt(head.length + code.length), 96);
  head.writeBigUInt64LE(BigInt(head.length + code.length), 104);
  head.writeBigUInt64LE(0x1000n, 112);
  return Buffer.concat([head, code]);
}

function isForAll(path: string): boolean {
  if (!isRoot) return true;
  const { status } = spawnSync(
    SETPRIV,
    [`--reuid=${ORDINARY}`, '--clear-groups', '--', path, '--version'],
    { stdio: 'ignore' },
  );
  return status === 0;
}

/** Installs a filter and becomes the program that follows. */
function behindFilter(refusals: readonly Refusal[] | undefined): readonly string[] {
  if (refusals === undefined) return [];
  if (!isArchitecture(process.arch)) throw new Error(`no filter for ${process.arch}`);
  const filter = makeFilter(process.arch, refusals).toString('hex');
  const prctl = process.arch === 'x64' ? 157 : 167;
  const install = `
    my $f = pack 'H*', shift; my $n = ${prctl};
    my $p = pack 'Sx![P]P', length($f) / 8, $f;
    syscall($n, 38, 1, 0, 0, 0) == 0 && syscall($n, 22, 2, $p, 0, 0) == 0 or die "no filter: $!";
    exec @ARGV or die;`;
  return ['/usr/bin/perl', '-e', install, filter];
}

/** Whether the programs exist that the attack and its users need. */
export const canAttack: boolean = ['/usr/bin/perl', '/bin/echo', SETPRIV].every((path) => {
  try {
    accessSync(path, constants.X_OK);
    return process.platform === 'linux';
  } catch {
    return false;
  }
});
