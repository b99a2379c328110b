import type { ChildProcess } from 'node:child_process';
import { writeSync } from 'node:fs';
import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { BulkheadError } from '../errors.js';
import { makeThrottle } from './throttle.js';

/** The host's end of the pipe to a guest. */
export interface GuestPipe {
  readonly socket: Socket;
  write(bytes: Uint8Array): void;
}

const READ_BYTES = 64 * 1024;

/** For the reads of all guests: what is read is used, or copied, before the next read. */
const readBuffer = Buffer.alloc(READ_BYTES);

/**
 * Opens the pipe to a started guest and reads from it at a limited rate. The bytes that `receive`
 * gets are overwritten by the next read. Throws `GUEST_START_FAILED`.
 */
export function openPipe(child: ChildProcess, receive: (bytes: Buffer) => void): GuestPipe {
  const given = pipeOf(child, 3);
  const handle: unknown = Reflect.get(given, '_handle');
  if (!isHandle(handle)) throw noPipe();
  // Only a new socket can read into one buffer: the given one allocates 64 KiB for each read.
  Reflect.set(given, '_handle', null);
  given.destroy();
  let take: (bytes: Buffer) => void = () => {};
  const options: SocketConstructorOpts & ConnectOpts & { readonly handle: object } = {
    handle,
    readable: true,
    writable: true,
    onread: {
      buffer: readBuffer,
      callback: (bytes) => {
        take(readBuffer.subarray(0, bytes));
        return true;
      },
    },
  };
  const socket = new Socket(options);
  take = makeThrottle(socket, receive);
  // A guest that dies breaks its pipe. Its exit is reported instead.
  socket.on('error', () => {});
  socket.resume();
  return {
    socket,
    write: (bytes) => {
      const written = socket.writableLength === 0 ? writeAtOnce(handle, bytes) : 0;
      if (written < bytes.length) socket.write(bytes.subarray(written));
    },
  };
}

/** The host's end of a guest's descriptor: 3 is its wire, 5 its synchronous requests, 4 its inspector. */
export function pipeOf(child: ChildProcess, descriptor: 3 | 4 | 5): Socket {
  const pipe: unknown = child.stdio.at(descriptor);
  if (!(pipe instanceof Socket)) throw noPipe();
  // A guest that dies breaks its pipe. Its exit is reported instead.
  pipe.on('error', () => {});
  return pipe;
}

function noPipe(): BulkheadError {
  return new BulkheadError('GUEST_START_FAILED', 'A guest process got no pipe to its host.', {
    reason: 'no pipe',
  });
}

/** Node's object for an open pipe. `fd` is negative on Windows, and after the pipe was closed. */
interface Handle {
  readonly fd: number;
}

function isHandle(value: unknown): value is Handle {
  return typeof value === 'object' && value !== null;
}

/**
 * Writes what the pipe takes now, and returns how many bytes that were. A write through the socket
 * costs several objects more.
 */
function writeAtOnce({ fd }: Handle, bytes: Uint8Array): number {
  if (!(fd >= 0)) return 0;
  try {
    return writeSync(fd, bytes);
  } catch {
    // The pipe is full, or the guest has ended: the socket waits, or reports that.
    return 0;
  }
}
