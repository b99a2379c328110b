import type { RequestListener } from 'node:http';
import {
  parseBinding,
  type Secret,
  type SecretPlace,
  type SecretUse,
} from '../../../../src/brokers/network/secrets/secret.js';
import { brokerFor, sourceOf, type TestBroker } from '../plugin.js';
import { serve, type Served } from '../servers.js';

export const VALUE = 'live-Key/0123+45';
export const PLACEHOLDER = 'bulkhead-secret-00112233445566778899aabbccddeeff';

export const ALL: readonly SecretPlace[] = ['header', 'query', 'body'];

/** A request that has the placeholder in every place that a request has. */
export const EVERYWHERE = `/${PLACEHOLDER}?k=${PLACEHOLDER}`;
export const post = (text: string) =>
  [
    { method: 'POST', headers: [['x-key', PLACEHOLDER]], bodyBytes: text.length },
    sourceOf([text]),
  ] as const;

/** A text with what is percent-encoded in it decoded, as far as it is. */
export function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'));
}

export function secretOf(
  places: readonly SecretPlace[],
  hosts: readonly string[] = ['api.test'],
  more: Partial<Secret> = {},
): Secret {
  const binding = parseBinding({ hosts, in: places }, 'secrets');
  return { name: 'API_KEY', placeholder: PLACEHOLDER, value: VALUE, ...binding, ...more };
}

/** What a server was sent, as it came. */
export interface Received {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SecretBroker extends TestBroker {
  readonly uses: SecretUse[];
  /** What reached a server, in order. */
  readonly received: Received[];
  /** Everything that reached a server, as one text. */
  readonly allReceived: string;
}

/**
 * The broker of a plugin that is granted `api.test`, `other.test` and `sub.api.test`, all served by
 * one server, and holds a reference to `API_KEY`.
 */
export async function brokerWith(
  secrets: readonly Secret[],
  answer: (received: Received) => Parameters<typeof reply>[0] = (received) => ({
    body: JSON.stringify(received),
  }),
): Promise<SecretBroker> {
  const received: Received[] = [];
  const uses: SecretUse[] = [];
  const listener: RequestListener = (request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      const { url = '', method = '' } = request;
      const headers = request.headers as Record<string, string>;
      received.push({ url, method, headers, body: Buffer.concat(chunks).toString() });
      const last = received.at(-1);
      if (last !== undefined) reply(answer(last), response);
    });
  };
  const server: Served = await serve(listener);
  const hosts = ['api.test', 'other.test', 'sub.api.test'];
  const broker = brokerFor(undefined, {
    granted: hosts,
    allows: () => true,
    overrides: hosts.map((host) => ({ host, url: server.url })),
    secrets,
    onSecret: (use) => uses.push(use),
  });
  return {
    ...broker,
    get active() {
      return broker.active;
    },
    uses,
    received,
    get allReceived() {
      return JSON.stringify(received);
    },
  };
}

function reply(
  answer: {
    readonly status?: number;
    readonly statusText?: string;
    readonly headers?: readonly (readonly [string, string])[];
    readonly body?: string | Buffer | readonly (string | Buffer)[];
  },
  response: Parameters<RequestListener>[1],
): void {
  const { status = 200, statusText, headers = [], body = '' } = answer;
  if (statusText !== undefined) response.statusMessage = statusText;
  const pieces: readonly (string | Buffer)[] =
    typeof body === 'string' || Buffer.isBuffer(body) ? [body] : body;
  const chunks = pieces.map((piece) => Buffer.from(piece as string));
  if (chunks.length === 1) response.setHeader('content-length', chunks[0]?.length ?? 0);
  response.writeHead(status, headers.flat());
  const next = (): void => {
    const chunk = chunks.shift();
    if (chunk === undefined) response.end();
    // A pause, so that the pieces arrive as pieces.
    else response.write(chunk, () => setTimeout(next, 2));
  };
  next();
}
