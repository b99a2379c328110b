import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { reserveOwnPort } from '../../own-ports.js';

/** The address that the login page returns to. */
export interface LoginCallback extends AsyncDisposable {
  readonly url: string;
  /** What the page has to return. Only this process and the page know it. */
  readonly state: string;
  /** Rejects if the page returns an error, and if the signal aborts. */
  answered(signal: AbortSignal): Promise<{ readonly code: string; readonly iss?: string }>;
}

const PATH = '/callback';
const BASE = 'http://127.0.0.1';
const MAX_VALUE = 4_096;

/** Listens at the loopback address. `port` 0: any. */
export async function openCallback(port: number): Promise<LoginCallback> {
  const state = randomBytes(32).toString('base64url');
  let finish: (query: URLSearchParams) => void;
  const returned = new Promise<URLSearchParams>((resolve) => (finish = resolve));
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    // A target such as "//" is not a URL, and must not end the process.
    const target = request.url ?? '/';
    const url = new URL(URL.canParse(target, BASE) ? target : '/', BASE);
    const isMeant = request.method === 'GET' && url.pathname === PATH;
    // Any page can send a browser here. Without the state it neither logs in nor ends the login.
    // guard: login-state
    if (!isMeant || !isSame(url.searchParams.get('state') ?? '', state)) {
      say(response, 404, 'There is no login here.');
      return;
    }
    const failed = url.searchParams.get('code') === null;
    say(response, 200, failed ? 'The login failed.' : 'Done. You can close this page.');
    finish(url.searchParams);
  };
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const used = typeof address === 'object' && address !== null ? address.port : port;
  const release = reserveOwnPort(used);
  return {
    url: `http://127.0.0.1:${used}${PATH}`,
    state,
    answered: async (signal) => {
      const query = await untilAborted(returned, signal);
      const code = query.get('code');
      if (code === null) throw new Error(`the login page returned ${errorIn(query)}`);
      const iss = query.get('iss');
      return {
        code: code.slice(0, MAX_VALUE),
        ...(iss === null ? {} : { iss: iss.slice(0, MAX_VALUE) }),
      };
    },
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.close(() => {
          release();
          closed();
        });
        server.closeAllConnections();
      }),
  };
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(`${text}\n`);
}

function isSame(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

function errorIn(query: URLSearchParams): string {
  return JSON.stringify((query.get('error') ?? 'no code').slice(0, 200));
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new Error('the login was not finished in time'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
