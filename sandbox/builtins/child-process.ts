import { always } from './compartment-globals.js';
import { offer, reportRefusal } from './denied.js';
import { EventEmitter } from './events.js';
import { Readable, Writable } from './stream.js';

/**
 * `child_process` without processes. As in Node, a program that may not be run is an `error` event, a
 * callback's error or the `error` of a result, and not a throw, so that honest code handles it.
 */
interface SpawnError extends Error {
  readonly code: 'EACCES';
  readonly errno: -13;
  readonly syscall: string;
  readonly path: string;
  readonly spawnargs: readonly string[];
}

const EACCES = -13 as const;

function spawnError(name: string, file: string, args: readonly string[], sync = false): SpawnError {
  reportRefusal('child_process', name);
  const syscall = `${sync ? 'spawnSync' : 'spawn'} ${file}`;
  const message = `${syscall} EACCES: plugins may not run programs. No permission allows it.`;
  return Object.assign(new Error(message), {
    code: 'EACCES' as const,
    errno: EACCES,
    syscall,
    path: file,
    spawnargs: [...args],
  });
}

class ChildProcess extends EventEmitter {
  readonly pid = undefined;
  readonly stdin: object | null;
  readonly stdout: object | null;
  readonly stderr: object | null;
  readonly stdio: readonly (object | null)[];
  readonly connected = false;
  killed = false;
  exitCode: number | null = null;
  signalCode: string | null = null;
  readonly spawnfile: string;
  readonly spawnargs: readonly string[];

  constructor(file: string, args: readonly string[], error: SpawnError) {
    super();
    this.spawnfile = file;
    this.spawnargs = [file, ...args];
    this.stdin = new Writable({ write: (_chunk, _encoding, done) => done() });
    this.stdout = new Readable({ read: () => undefined });
    this.stderr = new Readable({ read: () => undefined });
    this.stdio = [this.stdin, this.stdout, this.stderr];
    always('queueMicrotask')(() => {
      this.exitCode = EACCES;
      for (const stream of [this.stdout, this.stderr]) {
        if (stream instanceof Readable) stream.push(null);
      }
      this.emit('error', error);
      this.emit('close', EACCES, null);
    });
  }

  kill(): boolean {
    return false;
  }
  send(): boolean {
    return false;
  }
  disconnect(): void {}
  ref(): void {}
  unref(): void {}
}

function argumentsOf(rest: readonly unknown[]): readonly string[] {
  const [first] = rest;
  return Array.isArray(first) ? first.map(String) : [];
}

function spawn(file: unknown, ...rest: unknown[]): ChildProcess {
  const [name, args] = [String(file), argumentsOf(rest)];
  return new ChildProcess(name, args, spawnError('spawn', name, args));
}

type Callback = (error: Error, stdout: string, stderr: string) => void;

/** `exec` runs a shell, and `execFile` a program. */
function makeExec(name: 'exec' | 'execFile'): object {
  const run = (file: unknown, ...rest: unknown[]): ChildProcess => {
    const [program, args] = [String(file), name === 'exec' ? [] : argumentsOf(rest)];
    const shown = name === 'exec' ? '/bin/sh' : program;
    const error = Object.assign(spawnError(name, shown, args), {
      cmd: [program, ...args].join(' '),
      stdout: '',
      stderr: '',
    });
    const callback = rest.find((one): one is Callback => typeof one === 'function');
    const child = new ChildProcess(shown, args, error);
    child.on('error', () => callback?.(error, '', ''));
    return child;
  };
  const promised = (...args: unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const [file, ...rest] = args;
      run(file, ...rest, (error: Error | null) => (error === null ? resolve(null) : reject(error)));
    });
  return Object.assign(run, { [Symbol.for('nodejs.util.promisify.custom')]: promised });
}

const NO_RESULT = {
  pid: 0,
  output: null,
  stdout: null,
  stderr: null,
  status: null,
  signal: null,
};

function spawnSync(file: unknown, ...rest: unknown[]): object {
  const [name, args] = [String(file), argumentsOf(rest)];
  return { ...NO_RESULT, error: spawnError('spawnSync', name, args, true) };
}

function makeExecSync(name: 'execSync' | 'execFileSync'): object {
  return (file: unknown, ...rest: unknown[]): never => {
    const [program, args] = [String(file), name === 'execSync' ? [] : argumentsOf(rest)];
    const error = spawnError(name, name === 'execSync' ? '/bin/sh' : program, args, true);
    throw Object.assign(error, NO_RESULT, { error });
  };
}

export const builtin: object = offer('child_process', {
  ChildProcess,
  spawn,
  fork: spawn,
  exec: makeExec('exec'),
  execFile: makeExec('execFile'),
  spawnSync,
  execSync: makeExecSync('execSync'),
  execFileSync: makeExecSync('execFileSync'),
});
