import { BlockList } from './block-list.js';
import { always } from './compartment-globals.js';
import { offer, reportRefusal } from './denied.js';
import { isIP } from './ip-address.js';
import { Duplex } from './stream.js';

interface NetworkError extends Error {
  readonly code: 'EACCES';
  readonly errno: -13;
  readonly syscall: string;
}

/** Reports a refusal, and makes the error that Node gives for a connection that the system refuses. */
export function refusedConnection(
  module: 'dns' | 'net' | 'tls',
  syscall: string,
  target: string,
): NetworkError {
  reportRefusal(module, `${syscall} ${target}`);
  const message = `${syscall} EACCES ${target}: plugins have no sockets. Use fetch, node:http or node:https, with the host in the permission "network".`;
  return Object.assign(new Error(message), {
    code: 'EACCES' as const,
    errno: -13 as const,
    syscall,
  });
}

/**
 * A socket that never connects. As in Node, a connection that is refused is an `error` event, and not
 * a throw. Packages make sockets, and name the class, without connecting them.
 */
export class Socket extends Duplex {
  readonly connecting = false;
  readonly pending = true;
  readonly remoteAddress = undefined;
  readonly remotePort = undefined;
  protected readonly ofModule: 'net' | 'tls' = 'net';

  /** `connect(options | port | path, host?, listener?)` */
  connect(...args: unknown[]): this {
    const error = refusedConnection(this.ofModule, 'connect', targetOf(args));
    always('queueMicrotask')(() => void this.destroy(error));
    return this;
  }
  override _read(): void {}
  override _write(_chunk: unknown, _encoding: string, done: (error?: unknown) => void): void {
    done(refusedConnection(this.ofModule, 'write', 'an unconnected socket'));
  }
  setTimeout(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

/** The address that the arguments of `connect` name. */
function targetOf([first, second]: readonly unknown[]): string {
  if (typeof first === 'object' && first !== null) {
    const read = (key: string): unknown => Reflect.get(first, key);
    if (Array.isArray(first)) return targetOf(first);
    if (typeof read('path') === 'string') return String(read('path'));
    const host = read('host');
    return `${typeof host === 'string' ? host : 'localhost'}:${String(read('port'))}`;
  }
  if (typeof first === 'string' && !/^\d+$/.test(first)) return first;
  return `${typeof second === 'string' ? second : 'localhost'}:${String(first)}`;
}

const connect = (...args: unknown[]): Socket => new Socket().connect(...args);

/** Node's default. */
const ATTEMPT_MS = 250;

/** The functions of `node:net` that only parse text, and sockets without a connection. */
export const builtin: object = offer('net', {
  isIP,
  isIPv4: (text: unknown): boolean => isIP(text) === 4,
  isIPv6: (text: unknown): boolean => isIP(text) === 6,
  BlockList,
  // What connections would use. Node lets code set both.
  getDefaultAutoSelectFamily: () => true,
  setDefaultAutoSelectFamily: () => {},
  getDefaultAutoSelectFamilyAttemptTimeout: () => ATTEMPT_MS,
  setDefaultAutoSelectFamilyAttemptTimeout: () => {},
  Socket,
  Stream: Socket,
  connect,
  createConnection: connect,
});
