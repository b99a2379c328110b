import { connect as connectSocket, isIP, type Socket } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  rootCertificates,
  type SecureContext,
} from 'node:tls';

/**
 * Connects to one of `addresses`, trying each in turn, and to no other: `host` is for messages, and
 * is not looked up.
 */
export const connectTcp: Connect = (host, port, addresses, signal) => {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  const [first] = answers;
  if (first === undefined) return Promise.reject(new Error(`${host} has no address`));
  const socket = connectSocket({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    // Not called where `host` is an address; then that is the only one in `addresses`.
    lookup: (_host, options, callback) => {
      if (options.all === true) callback(null, answers);
      else callback(null, first.address, first.family);
    },
  });
  return ready(socket, 'connect', signal);
};

/** Opens a connection to one of the addresses. */
export type Connect = (
  host: string,
  port: number,
  addresses: readonly string[],
  signal: AbortSignal,
) => Promise<Socket>;

// Long enough for the far side of the earth; a second address is tried after that.
const ATTEMPT_MS = 1_000;

/** Shakes hands over `socket`, which is closed where that fails. `host` has to be who answers. */
export function secure(
  socket: Socket,
  host: string,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<Socket> {
  const secured = connectTls({
    socket,
    secureContext,
    host,
    // A server name is a name: RFC 6066 has no addresses in it.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ['http/1.1'],
    // Said aloud, because NODE_TLS_REJECT_UNAUTHORIZED=0 of the host would turn it off.
    rejectUnauthorized: true,
  });
  return ready(secured, 'secureConnect', signal);
}

/** What is trusted: the authorities that Node brings, and the operator's own. */
export function makeTrust(authorities: readonly string[]): Trust {
  let context: SecureContext | undefined;
  return () => {
    context ??= createSecureContext(
      authorities.length === 0 ? {} : { ca: [...rootCertificates, ...authorities] },
    );
    return context;
  };
}

/** Made when it is first needed: reading all authorities takes longer than many a plugin's work. */
export type Trust = () => SecureContext;

function ready(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    const settle = (act: () => void) => (): void => {
      signal.removeEventListener('abort', abort);
      act();
    };
    // These stay: an error between here and the next owner's listeners must not end the process.
    socket.on('error', (error) => settle(() => reject(error))());
    socket.once(
      'close',
      settle(() => reject(new Error('closed'))),
    );
    socket.once(
      event,
      settle(() => resolve(socket)),
    );
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
