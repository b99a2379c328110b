import { type ChildProcess, spawn } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type * as sdk from '@modelcontextprotocol/client';
import { signalProcessGroup } from '../../guests/guest-process.js';
import { visible } from '../../visible.js';
import { isDoneWithin } from '../../waiting.js';

/** A server that is a child process, as it is started. */
export interface CommandSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** MCP over the standard streams of a child process. */
export interface CommandTransport extends Transport {
  /** The last lines of the server's standard error, safe to print. Empty if there are none. */
  lastErrors(): string;
  /** The SDK's sign of a child process: it then takes silence for an old version of the protocol. */
  readonly pid: number | undefined;
  readonly stderr: undefined;
}

/** Bytes of one message. A longer one ends the server. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Characters of standard error that are stored, and the lines of them that an error quotes. */
const MAX_STORED = 4_000;
const MAX_LINES = 5;
const MAX_LINE = 300;
/** Milliseconds that a server has to end after its input has ended, and again after SIGTERM. */
const END_MS = 500;

/**
 * Starts a server in a process group of its own. `close` ends the whole group: a launcher such as `npx` would
 * leave the server behind.
 */
export function makeCommandTransport(
  { ReadBuffer, serializeMessage }: Pick<typeof sdk, 'ReadBuffer' | 'serializeMessage'>,
  spec: CommandSpec,
): CommandTransport {
  const buffer = new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES });
  let child: ChildProcess | undefined;
  let errors = '';
  let exited: Promise<void> = Promise.resolve();
  let closing: Promise<void> | undefined;

  let isPaused = false;
  const readMessages = (): void => {
    if (isPaused) return;
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        transport.onmessage?.(message);
        // The SDK handles a notification later than a response, which ends its progress: it would be lost.
        if (!('id' in message)) {
          pause();
          return;
        }
      } catch (error) {
        // A line that is not a message is skipped: some servers print to standard output.
        transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  };
  const pause = (): void => {
    isPaused = true;
    setImmediate(() => {
      isPaused = false;
      readMessages();
    });
  };
  const end = async (started: ChildProcess): Promise<void> => {
    started.stdin?.end();
    if (!(await isDoneWithin(exited, END_MS))) {
      signalProcessGroup(started, 'SIGTERM');
      await isDoneWithin(exited, END_MS);
    }
    signalProcessGroup(started, 'SIGKILL');
    started.stdout?.destroy();
    started.stderr?.destroy();
    buffer.clear();
  };

  const transport: CommandTransport = {
    get pid() {
      return child?.pid;
    },
    stderr: undefined,
    start: () =>
      new Promise<void>((resolve, reject) => {
        const { command, args, env, cwd } = spec;
        const started = spawn(command, [...args], {
          env: { ...env },
          cwd,
          stdio: ['pipe', 'pipe', 'pipe'],
          detached: true,
          windowsHide: true,
        });
        child = started;
        exited = new Promise((ended) => {
          started.once('exit', () => {
            killGroup(started.pid);
            ended();
          });
          started.once('error', () => ended());
        });
        started.once('spawn', () => resolve());
        started.once('error', (error) => {
          reject(error);
          transport.onerror?.(error);
        });
        started.once('close', () => transport.onclose?.());
        started.stdin.on('error', (error) => transport.onerror?.(error));
        started.stdout.on('error', (error) => transport.onerror?.(error));
        started.stdout.on('data', (chunk: Buffer) => {
          try {
            buffer.append(chunk);
          } catch (error) {
            transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
            // What follows could be the end of the message, and would be read as one.
            // guard: command-message-capped
            started.stdout.destroy();
            void transport.close();
            return;
          }
          readMessages();
        });
        started.stderr.setEncoding('utf8');
        started.stderr.on('error', () => {});
        started.stderr.on('data', (text: string) => {
          errors = (errors + text).slice(-MAX_STORED);
        });
      }),
    send: (message: JSONRPCMessage) =>
      new Promise<void>((resolve, reject) => {
        const stdin = child?.stdin;
        if (stdin === undefined || stdin === null || !stdin.writable) {
          reject(new Error('the server has ended'));
          return;
        }
        if (stdin.write(serializeMessage(message))) resolve();
        else stdin.once('drain', resolve);
      }),
    close: () => {
      if (child === undefined) return Promise.resolve();
      return (closing ??= end(child));
    },
    lastErrors: () =>
      errors
        .split('\n')
        .map((line) => visible(line.trim()).slice(0, MAX_LINE))
        .filter((line) => line !== '')
        .slice(-MAX_LINES)
        .join(' | '),
  };
  return transport;
}

/** Ends what a process that has just ended left in its group. */
function killGroup(leader: number | undefined): void {
  if (leader === undefined || process.platform === 'win32') return;
  try {
    // guard: command-group-killed
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The group is empty.
  }
}
