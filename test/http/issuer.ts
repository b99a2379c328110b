import type { webcrypto } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterEachFile } from '../tidying.js';

/** An issuer of tokens on loopback: its key set, and a pen. */
export interface Issuer {
  readonly url: string;
  readonly jwks: string;
  /** Paths that were asked for, in order. */
  readonly seen: string[];
  /** What it answers with; the key set unless a test changes it. */
  answer: { status: number; body: string; headers?: Record<string, string>; never?: boolean };
  /** Publishes these keys and no others. */
  publish(...kids: string[]): void;
  /** A token that is good, but for what a test changes about it. */
  token(spec?: TokenSpec): Promise<string>;
}

export interface TokenSpec {
  readonly kid?: string;
  readonly alg?: 'ES256' | 'RS256';
  readonly claims?: Record<string, unknown>;
  /** Claims that are left out. */
  readonly without?: readonly string[];
  readonly header?: Record<string, unknown>;
}

const servers: Server[] = [];
afterEachFile(() => {
  for (const server of servers.splice(0)) server.close();
});

const pairs = new Map<string, Promise<{ privateKey: webcrypto.CryptoKey; jwk: JWK }>>();

export async function makeIssuer(): Promise<Issuer> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    const { status, body, headers, never } = issuer.answer;
    if (never === true) return;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const known = new Map<string, JWK>();
  const pairOf = async (kid: string, alg: string): Promise<webcrypto.CryptoKey> => {
    const name = `${alg} ${kid}`;
    const pair = pairs.get(name) ?? makePair(alg);
    pairs.set(name, pair);
    const { privateKey, jwk } = await pair;
    known.set(kid, { ...jwk, kid, alg, use: 'sig' });
    return privateKey;
  };
  const issuer: Issuer = {
    url,
    jwks: `${url}/api/v1/.well-known/jwks`,
    seen,
    answer: { status: 200, body: '' },
    publish: (...kids) => {
      const keys = kids.map((kid) => known.get(kid));
      issuer.answer = { status: 200, body: JSON.stringify({ keys }) };
    },
    token: async ({ kid = 'es', alg = 'ES256', claims = {}, without = [], header = {} } = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const all: Record<string, unknown> = {
        iss: url,
        sub: 'user-1',
        aud: 'tools',
        exp: now + 300,
        account: { id: 'org-1', name: 'Acme' },
        endpoints: { studio: url, store: url },
        ...claims,
      };
      for (const name of without) delete all[name];
      const key = await pairOf(kid, alg);
      return new SignJWT(all).setProtectedHeader({ alg, kid, ...header }).sign(key);
    },
  };
  await Promise.all([pairOf('es', 'ES256'), pairOf('rs', 'RS256')]);
  issuer.publish('es', 'rs');
  return issuer;
}

async function makePair(alg: string): Promise<{ privateKey: webcrypto.CryptoKey; jwk: JWK }> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: await exportJWK(publicKey) };
}
