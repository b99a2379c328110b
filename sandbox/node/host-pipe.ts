import { Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';
import { makeLookout } from './lookout.js';

/** The file descriptor at which the host opens the pipe, beside the three standard ones. */
const HOST_PIPE = 3;

const READ_BYTES = 64 * 1024;

export interface HostPipe {
  write(bytes: Uint8Array): void;
  listen(receive: (bytes: Uint8Array) => void): void;
}

/** Leads nowhere. */
export const deadPipe: HostPipe = { write: () => {}, listen: () => {} };

/** Opens the one way out of this process. When the host closes it there is nothing left to do. */
export function openHostPipe(onClose: () => void): HostPipe {
  let receive: (bytes: Uint8Array) => void = () => {};
  const buffer = Buffer.alloc(READ_BYTES);
  const lookout = makeLookout({
    now: () => performance.now(),
    again: setImmediate,
    processors: availableParallelism(),
  });
  const options = {
    fd: HOST_PIPE,
    readable: true,
    writable: true,
    // One buffer for every read: the frame reader copies what it keeps.
    onread: {
      buffer,
      callback: (bytes: number) => {
        lookout.heard();
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
      socket.write(bytes);
      lookout.wrote();
    },
    listen: (listener) => {
      receive = listener;
      socket.resume();
    },
  };
}
