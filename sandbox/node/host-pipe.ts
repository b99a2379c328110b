import { writeSync } from 'node:fs';
import { Socket } from 'node:net';

/** The descriptor of the pipe to the host, after the three standard ones. */
const HOST_PIPE = 3;

const READ_BYTES = 64 * 1024;

export interface HostPipe {
  write(bytes: Uint8Array): void;
  listen(receive: (bytes: Uint8Array) => void): void;
}

/** A pipe without another end. */
export const deadPipe: HostPipe = { write: () => {}, listen: () => {} };

/** Opens the only way out of this process. `onClose` is called when the host closes it. */
export function openHostPipe(onClose: () => void): HostPipe {
  let receive: (bytes: Uint8Array) => void = () => {};
  const buffer = Buffer.alloc(READ_BYTES);
  const options = {
    fd: HOST_PIPE,
    readable: true,
    writable: true,
    // One buffer for all reads: the frame reader copies the bytes that it needs later.
    onread: {
      buffer,
      callback: (bytes: number) => {
        receive(buffer.subarray(0, bytes));
        return true;
      },
    },
  };
  const socket = new Socket(options);
  socket.on('close', onClose);
  socket.on('error', onClose);
  return {
    write: (bytes) => {
      const written = socket.writableLength === 0 ? writeAtOnce(bytes) : 0;
      if (written < bytes.length) socket.write(bytes.subarray(written));
    },
    listen: (listener) => {
      receive = listener;
      socket.resume();
    },
  };
}

/**
 * Writes what the pipe takes now, and returns how many bytes that were. A write through the socket
 * costs several objects more.
 */
function writeAtOnce(bytes: Uint8Array): number {
  try {
    return writeSync(HOST_PIPE, bytes);
  } catch {
    // The pipe is full, or the host has closed it: the socket waits, or reports that.
    return 0;
  }
}
