import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { BulkheadError } from '../errors.js';
import type { Command } from './command.js';
import { explainExit, type GuestEnd } from './end.js';
import { findInnermost, signalFamily } from './family.js';
import { readPaced } from './pace.js';

/** A guest's process and the pipe to it, whatever is said on that pipe. */
export interface GuestProcess {
  /** Of the process that holds plugins, once it has said that it is ready; of its wrapping before. */
  readonly pid: number;
  /** The process is ready: whoever is innermost now is the guest itself. */
  settle(): void;
  write(bytes: Uint8Array): void;
  /** Why it ended or is about to; `undefined` while it lives. */
  readonly end: GuestEnd | undefined;
  /** Resolves once the process is gone. Never rejects. */
  readonly ended: Promise<GuestEnd>;
  /** Ends it at once. Only the first reason counts. */
  kill(end: GuestEnd): void;
  /** Stops the process where it is; it can be killed meanwhile. */
  stop(): void;
  /** Lets it go on. */
  go(): void;
  /** The last that it wrote to its standard error. */
  lastWords(): string;
}

export interface GuestProcessSpec {
  readonly command: Command;
  readonly receive: (bytes: Buffer) => void;
  /** Told at once when its end is sure, before the process is gone. */
  readonly onEnd: (end: GuestEnd) => void;
}

/** How much of a guest's standard error is kept: V8's last words are at its end. */
const LAST_WORDS_BYTES = 8 * 1024;

/**
 * Bytes that may wait until a guest reads them: more than the largest message. Stops one that asks for
 * what is large and reads none of it from filling the memory of its host.
 */
const MAX_UNREAD_BYTES = 192 * 1024 * 1024;

/** From a pipe that was closed to the exit that goes with it. */
const EXIT_MS = 250;

export function startGuestProcess({ command, receive, onEnd }: GuestProcessSpec): GuestProcess {
  const { codeCache } = command;
  const child = spawn(command.file, command.args, {
    env: command.env,
    cwd: '/',
    // A session of its own: signals that a terminal sends to the host's group are not for it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', ...(codeCache === undefined ? [] : [codeCache])],
    windowsHide: true,
  });
  const pipe = pipeOf(child);
  const lastWords = gather(child);
  let cause: GuestEnd | undefined;
  let pid = child.pid ?? 0;

  const conclude = (end: GuestEnd): void => {
    if (cause !== undefined) return;
    cause = end;
    onEnd(end);
  };
  const kill = (end: GuestEnd): void => {
    if (cause !== undefined) return;
    conclude(end);
    signalFamily(child, 'SIGKILL');
  };

  readPaced(pipe, receive);
  // Without its pipe a guest serves nobody. Where it is the guest that ended, its exit says why.
  pipe.on('close', () => {
    setTimeout(() => kill({ cause: 'crash', detail: 'it closed its pipe' }), EXIT_MS).unref();
  });

  const ended = new Promise<GuestEnd>((resolve) => {
    child.on('error', (error) =>
      kill({ cause: 'start', detail: `it did not start: ${error.message}` }),
    );
    child.on('close', (exitCode, signal) => {
      const end = cause ?? explainExit({ exitCode, signal, lastWords: lastWords() });
      conclude(end);
      resolve(end);
    });
  });

  // Calls under way keep the host alive by their deadlines; guests that only wait do not.
  child.unref();
  pipe.unref();

  return {
    get pid() {
      return pid;
    },
    settle: () => {
      pid = findInnermost(pid);
    },
    write: (bytes) => {
      pipe.write(bytes);
      if (pipe.writableLength <= MAX_UNREAD_BYTES) return;
      kill({ cause: 'protocol', detail: 'it does not read what it is told' });
      pipe.destroy();
    },
    get end() {
      return cause;
    },
    ended,
    kill,
    stop: () => signalFamily(child, 'SIGSTOP'),
    go: () => signalFamily(child, 'SIGCONT'),
    lastWords,
  };
}

function pipeOf(child: ChildProcess): Socket {
  const pipe = child.stdio[3];
  if (!(pipe instanceof Socket)) {
    throw new BulkheadError('GUEST_START_FAILED', 'A guest process got no pipe to its host.', {
      reason: 'no pipe',
    });
  }
  // A guest that dies breaks its pipe; that it died is told by its exit.
  pipe.on('error', () => {});
  return pipe;
}

function gather({ stderr }: ChildProcess): () => string {
  let kept = '';
  if (stderr instanceof Socket) {
    stderr.on('error', () => {});
    readPaced(stderr, (bytes) => {
      kept = (kept + bytes.toString('latin1')).slice(-LAST_WORDS_BYTES);
    });
    stderr.unref();
  }
  return () => kept;
}
