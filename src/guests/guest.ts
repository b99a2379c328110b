import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { FROM_GUEST } from '../../sandbox/wire/limits.js';
import { makePeer, type Peer } from '../../sandbox/wire/peer.js';
import type { Service } from '../../sandbox/wire/service.js';
import { makeUtf8 } from '../../sandbox/wire/utf8.js';
import { BulkheadError } from '../errors.js';
import type { Command } from './command.js';
import { explainExit, type GuestEnd, GuestEnded } from './end.js';
import { findInnermost, signalFamily } from './family.js';
import { readPaced } from './pace.js';

/** One sandbox process, from the host's side. It is single use: what was loaded into it stays. */
export interface Guest {
  /** Of the process that holds the plugin, once it is ready; of what it is wrapped in before. */
  readonly pid: number;
  readonly peer: Peer;
  /**
   * Resolves when the guest is locked down and waiting, with what it says of itself; rejects
   * `GUEST_START_FAILED`.
   */
  readonly ready: Promise<unknown>;
  /** Resolves once the process is gone. Never rejects. */
  readonly ended: Promise<GuestEnd>;
  readonly alive: boolean;
  /** Requests that it was asked so far, and how many of them were calls. */
  readonly asked: number;
  readonly calls: number;
  /** Stops the process where it is. The next request continues it; it can be killed meanwhile. */
  rest(): void;
  /** Calls `listener` each time that a request has continued it. */
  onWake(listener: () => void): void;
  /** Says who answers what the guest asks, once it is known whose guest this is. */
  serve(service: Service): void;
  /** Ends it at once. Requests under way reject with `GuestEnded`. */
  kill(end: GuestEnd): void;
}

/** How much of a guest's standard error is kept: V8's last words are at its end. */
const LAST_WORDS_BYTES = 8 * 1024;

/** From a pipe that was closed to the exit that goes with it. */
const EXIT_MS = 250;

const utf8 = makeUtf8(Buffer);

/** Before it is anybody's guest it may say that it is ready, and nothing else. */
const NOBODY: Service = {
  request: (method) => {
    throw new Error(`a blank guest asked for ${method}`);
  },
  notice: () => {},
};

/** Starts a guest process. It is blank: locked down, and no plugin's yet. */
export function startGuest(command: Command, startTimeoutMs: number): Guest {
  const child = spawn(command.file, command.args, {
    env: command.env,
    cwd: '/',
    // A session of its own: signals that a terminal sends to the host's group are not for it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const pipe = pipeOf(child);
  const lastWords = gather(child);

  let service = NOBODY;
  let cause: GuestEnd | undefined;
  let becameReady: (report: unknown) => void = () => {};
  let pid = child.pid ?? 0;
  let asked = 0;
  let calls = 0;
  let resting = false;
  let woken: () => void = () => {};

  const kill = (end: GuestEnd): void => {
    if (cause !== undefined) return;
    cause = end;
    peer.close(new GuestEnded(end));
    signalFamily(child, 'SIGKILL');
  };

  const wake = (): void => {
    resting = false;
    signalFamily(child, 'SIGCONT');
    woken();
  };

  const wire = makePeer({
    write: (bytes) => {
      pipe.write(bytes);
    },
    utf8,
    allocate: (bytes) => Buffer.allocUnsafe(bytes),
    soon: queueMicrotask,
    limits: FROM_GUEST,
    now: () => performance.now(),
    service: {
      request: (method, params, request) => service.request(method, params, request),
      notice: (method, params) => {
        if (method === 'ready') becameReady(params);
        else service.notice(method, params);
      },
    },
    onViolation: ({ message }) => {
      kill({ cause: 'protocol', detail: `it broke the protocol: ${message}` });
    },
  });
  const peer: Peer = {
    ...wire,
    ask: (method, params, maxAnswerBytes) => {
      asked += 1;
      if (method === 'call' || method === 'hook') calls += 1;
      if (resting) wake();
      return wire.ask(method, params, maxAnswerBytes);
    },
    get openRequests() {
      return wire.openRequests;
    },
    get strayAnswers() {
      return wire.strayAnswers;
    },
  };
  readPaced(pipe, peer.receive);
  // Without its pipe a guest serves nobody. Where it is the guest that ended, its exit says why.
  pipe.on('close', () => {
    setTimeout(() => kill({ cause: 'crash', detail: 'it closed its pipe' }), EXIT_MS).unref();
  });

  const ended = new Promise<GuestEnd>((resolve) => {
    child.on('error', (error) =>
      kill({ cause: 'start', detail: `it did not start: ${error.message}` }),
    );
    child.on('close', (exitCode, signal) => {
      cause ??= explainExit({ exitCode, signal, lastWords: lastWords() });
      peer.close(new GuestEnded(cause));
      resolve(cause);
    });
  });

  const ready = new Promise<unknown>((resolve, reject) => {
    const timer = setTimeout(() => {
      kill({ cause: 'start', detail: `it was not ready after ${startTimeoutMs} ms` });
    }, startTimeoutMs);
    becameReady = (report) => {
      clearTimeout(timer);
      // Nothing of a plugin's has run yet: whoever is there now is the guest or waits for it.
      pid = findInnermost(pid);
      resolve(report);
    };
    void ended.then(({ detail }) => {
      clearTimeout(timer);
      reject(
        new BulkheadError('GUEST_START_FAILED', `A guest process could not be started: ${detail}`, {
          reason: `${detail} ${lastWords()}`.trim(),
        }),
      );
    });
  });
  // Whoever takes the guest awaits this; one that nobody takes must not end the host.
  ready.catch(() => {});

  // Calls under way keep the host alive by their deadlines; guests that only wait do not.
  child.unref();
  pipe.unref();

  return {
    get pid() {
      return pid;
    },
    peer,
    ready,
    ended,
    get alive() {
      return cause === undefined;
    },
    get asked() {
      return asked;
    },
    get calls() {
      return calls;
    },
    rest: () => {
      if (cause !== undefined) return;
      resting = true;
      signalFamily(child, 'SIGSTOP');
    },
    onWake: (listener) => {
      woken = listener;
    },
    serve: (next) => {
      service = next;
    },
    kill,
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
