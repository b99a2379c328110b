import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import type { Command } from './walls/machine.js';
import { explainExit, type GuestEnd } from './end.js';
import { openPipe, pipeOf } from './guest-pipe.js';
import { serveSyncChannel, type SyncService } from './sync-channel.js';
import { makeThrottle } from './throttle.js';

/** A guest's process and the pipe to it. */
export interface GuestProcess {
  /** The first process of its group, which stays the same: a wrapper, or the guest itself. */
  readonly leader: number;
  /** The wrapper's process before `confirmReady`, then the process that holds plugins. */
  readonly pid: number;
  /** The guest has said that it is ready: the innermost process is the guest. */
  confirmReady(): void;
  write(bytes: Uint8Array): void;
  /** Why it ended or is about to end; `undefined` while it runs. */
  readonly end: GuestEnd | undefined;
  /** Whether the process has exited. What it wrote last may not be read yet. */
  readonly hasExited: boolean;
  /** Resolves when the process has exited and all that it wrote was read. Never rejects. */
  readonly ended: Promise<GuestEnd>;
  /** Kills the process. Only the first reason counts. */
  kill(end: GuestEnd): void;
  /** Sends SIGSTOP. A suspended process can still be killed. */
  suspend(): void;
  /** Sends SIGCONT. */
  resume(): void;
  /** The way to its inspector, if its command has one. */
  readonly inspector: Socket | undefined;
  /** The end of its standard error. */
  stderrTail(): string;
}

export interface GuestProcessSpec {
  readonly command: Command;
  readonly receive: (bytes: Buffer) => void;
  readonly serveSync: SyncService;
  /** Called when the end is certain, before the process has exited. */
  readonly onEnd: (end: GuestEnd) => void;
}

/** Bytes of standard error to remember. V8 writes why it crashed at the end. */
const STDERR_TAIL_BYTES = 8 * 1024;

/**
 * Bytes that may wait for a guest to read them: more than the largest message. Stops a guest that
 * requests large answers and never reads them from filling the host's memory.
 */
const MAX_UNREAD_BYTES = 192 * 1024 * 1024;

/** Milliseconds from the close of a pipe to the exit that caused it. Then the guest is killed. */
const EXIT_MS = 250;

/** Milliseconds in which the exit of such a guest and its standard error are read. They say why it ended. */
const LAST_WORDS_MS = 2_000;

/** Milliseconds in which the last messages of a guest that has exited are read. */
const LAST_MESSAGES_MS = 1_000;

/** The exit code of a wrapper whose process died of SIGKILL. */
const KILLED_EXIT = 128 + 9;

const CLOSED_PIPE: GuestEnd = { cause: 'crash', detail: 'it closed its pipe' };

export function startGuestProcess({
  command,
  receive,
  serveSync,
  onEnd,
}: GuestProcessSpec): GuestProcess {
  const { codeCache = 'ignore', filter = 'ignore', isInspected = false } = command;
  const child = spawn(command.file, command.args, {
    // guard: guest-environment-empty
    env: command.env,
    cwd: '/',
    // A session of its own: signals that a terminal sends to the host's group do not reach it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', isInspected ? 'pipe' : codeCache, 'pipe', filter],
    windowsHide: true,
  });
  const pipe = openPipe(child, receive);
  const syncPipe = pipeOf(child, 5);
  const stderrTail = collect(child);
  let cause: GuestEnd | undefined;
  let isKilledWithoutPipe = false;
  let pid = child.pid ?? 0;

  const conclude = (end: GuestEnd): void => {
    if (cause !== undefined) return;
    cause = end;
    onEnd(end);
  };
  const kill = (end: GuestEnd): void => {
    if (cause !== undefined) return;
    conclude(end);
    signalProcessGroup(child, 'SIGKILL');
  };

  serveSyncChannel({
    pipe: syncPipe,
    serve: serveSync,
    onViolation: (detail) =>
      kill({ cause: 'protocol', detail: `it broke the protocol: ${detail}` }),
  });
  // A guest without its pipe is useless. If the guest exited, the exit says why.
  pipe.socket.on('close', () => {
    setTimeout(() => {
      if (cause !== undefined) return;
      isKilledWithoutPipe = true;
      signalProcessGroup(child, 'SIGKILL');
      // guard: last-words-read
      setTimeout(() => conclude(CLOSED_PIPE), LAST_WORDS_MS).unref();
    }, EXIT_MS).unref();
  });

  const ended = new Promise<GuestEnd>((resolve) => {
    child.on('error', (error) =>
      kill({ cause: 'start', detail: `it did not start: ${error.message}` }),
    );
    child.on('close', (exitCode, signal) => {
      if (cause !== undefined) return resolve(cause);
      const explained = explainExit({
        exitCode,
        signal,
        stderrTail: stderrTail(),
        memoryMb: command.memoryMb,
      });
      const wasKilled = signal === 'SIGKILL' || exitCode === KILLED_EXIT;
      const saysNothing = isKilledWithoutPipe && wasKilled && explained.cause === 'crash';
      const end = saysNothing ? CLOSED_PIPE : explained;
      // Its last answers may wait in the pipe.
      // guard: last-messages-read
      afterClose(pipe.socket, () => {
        conclude(end);
        resolve(cause ?? end);
      });
    });
  });

  // Open calls keep the host alive by their deadlines. Idle guests do not.
  child.unref();
  pipe.socket.unref();
  syncPipe.unref();

  return {
    leader: pid,
    get pid() {
      return pid;
    },
    confirmReady: () => {
      pid = findInnermost(pid);
    },
    write: (bytes) => {
      pipe.write(bytes);
      // guard: unread-bytes-cap
      if (pipe.socket.writableLength <= MAX_UNREAD_BYTES) return;
      kill({ cause: 'protocol', detail: 'it does not read its messages' });
      pipe.socket.destroy();
    },
    get end() {
      return cause;
    },
    get hasExited() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    ended,
    kill,
    inspector: isInspected ? pipeOf(child, 4) : undefined,
    suspend: () => signalProcessGroup(child, 'SIGSTOP'),
    resume: () => signalProcessGroup(child, 'SIGCONT'),
    stderrTail,
  };
}

/** Calls back when all of a socket was read. Closes it after a second: a process of the guest may keep its other end. */
function afterClose(socket: Socket, callback: () => void): void {
  if (socket.closed) return callback();
  const timer = setTimeout(() => socket.destroy(), LAST_MESSAGES_MS);
  socket.once('close', () => {
    clearTimeout(timer);
    callback();
  });
}

function collect({ stderr }: ChildProcess): () => string {
  let tail = '';
  if (stderr instanceof Socket) {
    stderr.on('error', () => {});
    const take = makeThrottle(stderr, (bytes) => {
      tail = (tail + bytes.toString('latin1')).slice(-STDERR_TAIL_BYTES);
    });
    stderr.on('data', take);
    stderr.unref();
  }
  return () => tail;
}

/** Sends a signal to the process group that `child` leads: its wrappers and its own children. */
export function signalProcessGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  // The number of an exited process may belong to another process now.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    // guard: process-group-signalled
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}

/** The last in a chain of processes, each of which waits for its only child. */
export function findInnermost(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ');
    const only = children.length === 1 ? Number(children[0]) : 0;
    return only > 0 ? findInnermost(only) : pid;
  } catch {
    return pid;
  }
}
