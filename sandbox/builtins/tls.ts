import { offer } from './denied.js';
import { Socket } from './net.js';

/** A socket of `node:tls` that never connects. It may wrap a stream, which it does not read. */
class TLSSocket extends Socket {
  readonly encrypted = true;
  readonly authorized = false;
  // Packages for HTTP/2 read the class of wrapped streams here while they are loaded.
  readonly _handle: object = { _parentWrap: this };
  protected override readonly ofModule = 'tls';

  constructor() {
    // Its argument is a stream, and no options.
    super({});
  }
}

const connect = (...args: unknown[]): TLSSocket => new TLSSocket().connect(...args);

export const builtin: object = offer('tls', {
  TLSSocket,
  connect,
  // The host makes the connections, with its own certificates.
  getCACertificates: () => [],
  getCiphers: () => [],
  rootCertificates: [],
  DEFAULT_MIN_VERSION: 'TLSv1.2',
  DEFAULT_MAX_VERSION: 'TLSv1.3',
});
