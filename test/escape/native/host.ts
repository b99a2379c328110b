/**
 * A host that lets a native program attack, once for each wall combination, and prints what it could do.
 * A program of its own, so that it can run as another user and behind the filters of a service manager.
 */
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { BUNDLER_WALLS } from '../../../src/engine/node/walled-bundler.js';
import { kernelLimits } from '../../../src/guests/command.js';
import { inspectMachine } from '../../../src/guests/machine.js';
import { behindWalls, type WalledProgram } from '../../../src/guests/walls/build.js';
import { findWalls } from '../../../src/guests/walls/find.js';
import { findLibraries } from '../../../src/guests/walls/libraries.js';
import type { Command, Machine, Tools } from '../../../src/guests/walls/machine.js';
import { NO_WALLS, type UserRange, type WallPlan } from '../../../src/guests/walls/plan.js';
import { findUserRange, readUserFiles } from '../../../src/guests/walls/users.js';

/** Outcomes by deed: `done`, or the error that stopped it. */
export type Outcomes = Readonly<Record<string, string>>;

/** What a host tries. */
export interface HostOrder {
  /** The guest's script. */
  readonly script: string;
  /** The attack. */
  readonly attack: string;
  /** A program that calls the kernel by the interface of another architecture, if there is one here. */
  readonly foreign: string | undefined;
  /** The combinations by name. */
  readonly combinations: Readonly<Record<string, Combination>>;
}

export type Combination =
  /** No walls: the control. */
  | 'none'
  /** What the machine gives. */
  | 'found'
  /** What the machine gives to a process that bundles. */
  | 'bundler'
  /** What the machine gives if it has these tools alone. */
  | { readonly tools: readonly (keyof Tools)[]; readonly landlock?: 0 }
  /** These walls of those that the machine gives. */
  | { readonly only: Partial<WallPlan> };

export interface HostReport {
  readonly superuser: boolean;
  readonly found: WallPlan;
  readonly runs: Readonly<Record<string, { readonly plan: WallPlan; readonly outcomes: Outcomes }>>;
}

const LIMITS = { memoryMb: 64, cpuSeconds: 60 };
/** More than the limit by so much. */
const ABOVE_LIMIT = 1024 ** 3;
const TRIAL_MS = 30_000;

async function main(): Promise<void> {
  const order = JSON.parse(process.argv[2] ?? '') as HostOrder;
  const machine = await inspectMachine(order.script);
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-native-'));
  // Guests of a root host have another user.
  chmodSync(directory, 0o755);
  try {
    const runs: Record<string, { plan: WallPlan; outcomes: Outcomes }> = {};
    for (const [name, combination] of Object.entries(order.combinations)) {
      const walled = await machineOf(machine, combination, order.script);
      const walls = combination === 'bundler' ? BUNDLER_WALLS : guestWalls(walled);
      const outcomes = await attack({ machine: walled, walls }, order, directory, name);
      runs[name] = { plan: walled.plan, outcomes };
    }
    const report: HostReport = { superuser: machine.superuser, found: machine.plan, runs };
    process.stdout.write(JSON.stringify(report));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function machineOf(
  machine: Machine,
  combination: Combination,
  script: string,
): Promise<Machine> {
  if (combination === 'none') return { ...machine, plan: NO_WALLS };
  if (combination === 'found' || combination === 'bundler') return machine;
  if ('only' in combination) {
    const { builder, ownUser } = machine.plan;
    return { ...machine, plan: { ...NO_WALLS, builder, ownUser, ...combination.only } };
  }
  const tools = Object.fromEntries(
    Object.entries(machine.tools).map(([name, path]) => [
      name,
      combination.tools.some((one) => one === name) ? path : undefined,
    ]),
  ) as unknown as Tools;
  const here = { ...machine, tools };
  const users: UserRange | undefined = machine.superuser
    ? findUserRange(undefined, readUserFiles())
    : undefined;
  const landlock = combination.landlock ?? machine.plan.landlock;
  return { ...here, plan: await findWalls({ machine: here, users, landlock, readable: [script] }) };
}

/** What is around the attack. */
interface Place {
  readonly machine: Machine;
  readonly walls: Pick<WalledProgram, 'limits' | 'use' | 'confined'>;
}

function guestWalls(machine: Machine): Place['walls'] {
  return { limits: kernelLimits(machine, LIMITS), use: ['no-network'] };
}

async function attack(
  { machine, walls }: Place,
  { script, attack: program, foreign }: HostOrder,
  directory: string,
  name: string,
): Promise<Outcomes> {
  // The attacker is perl, whatever built the walls.
  const perl = '/usr/bin/perl';
  const mark = `native-${randomUUID()}`;
  const files = join(directory, name.replaceAll(/\W/g, '-'));
  mkdirSync(files, { mode: 0o755 });
  for (const file of FILES) writeFileSync(join(files, file), 'mine');
  for (const at of ['rmdir', 'mount']) mkdirSync(join(files, at));
  chmodSync(join(files, 'secret'), 0o600);
  chmodSync(join(files, 'grouped'), 0o640);
  const shown = join(files, 'shown');
  const servers: Server[] = [];
  const other = spawn(perl, ['-e', 'sleep 60'], { stdio: 'ignore' });
  try {
    const port = await listen(servers, { host: '127.0.0.1', port: 0 });
    const socket = join(directory, `${mark.slice(-6)}.s`);
    await listen(servers, { path: socket });
    // Without abstract sockets in this Node, the control cannot connect either.
    await listen(servers, { path: `\0${mark}` }).catch(() => 0);
    const facts = {
      arch: process.arch,
      files,
      host: process.pid,
      other: other.pid ?? 0,
      mark,
      shown,
      socket,
      abstract: mark,
      port,
      above: (walls.limits.dataBytes ?? 0) + ABOVE_LIMIT,
      program: '/bin/echo',
    };
    const command = behindWalls(machine, {
      ...walls,
      program: [perl, program, ...Object.entries(facts).map(([key, value]) => `${key}=${value}`)],
      visible: [script, program, shown, perl, ...(await findLibraries(perl))],
    });
    const outcomes = await outcomesOf(command);
    const left = processesOf(mark);
    for (const pid of left) process.kill(pid, 'SIGKILL');
    const ended = outcomes['leave a process behind'] === 'done' && left.length === 0;
    return {
      ...outcomes,
      ...(ended ? { 'leave a process behind': 'ended with it' } : {}),
      ...(foreign === undefined
        ? {}
        : {
            'call the kernel by another interface': await endOf(
              behindWalls(machine, { ...walls, program: [foreign], visible: [script, foreign] }),
            ),
          }),
    };
  } finally {
    other.kill('SIGKILL');
    for (const server of servers) server.close();
  }
}

const FILES = [
  'secret',
  'grouped',
  'write',
  'map',
  'truncate',
  'unlink',
  'rename',
  'chmod',
  'chown',
  'utimes',
  'link',
  'xattr',
  'shown',
];

/** `done`, or how the program ended. */
function endOf({ file, args, env, filter }: Command): Promise<string> {
  const stdio = ['ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', filter ?? 'ignore'];
  const child = spawn(file, args, { env, cwd: '/', stdio: stdio as StdioOptions });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => resolve(code === 0 ? 'done' : `${signal ?? code}`));
  });
}

async function outcomesOf({ file, args, env, filter }: Command): Promise<Outcomes> {
  const child: ChildProcess = spawn(file, args, {
    env,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'ignore', filter ?? 'ignore'],
    timeout: TRIAL_MS,
    killSignal: 'SIGKILL',
  });
  if (child.stdout === null || child.stderr === null) throw new Error('no output');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const rows = out
    .split('\n')
    .filter(Boolean)
    .map((line): [string, string] => {
      const [deed = '', outcome = ''] = line.split('\t');
      return [deed, outcome];
    });
  if (rows.length === 0) throw new Error(`the attack printed nothing: ${err}`);
  return Object.fromEntries(rows);
}

/** Processes that call themselves by the mark. */
function processesOf(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith(mark);
      } catch {
        return false;
      }
    })
    .map(Number);
}

function listen(servers: Server[], where: object): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(where, () => {
      servers.push(server);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

await main();
