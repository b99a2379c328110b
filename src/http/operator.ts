import { createHash, timingSafeEqual } from 'node:crypto';
import { HttpRefusal } from './refusal.js';

/** Throws 401 unless the request brings the operator's token. */
export function requireToken(request: Request, token: string): void {
  const [scheme = '', given = ''] = (request.headers.get('authorization') ?? '').trim().split(/ +/);
  // Compared by digest: how long it takes tells nothing about how much of it is right.
  if (scheme.toLowerCase() === 'bearer' && timingSafeEqual(digest(given), digest(token))) return;
  throw new HttpRefusal(401, "This needs the operator's token: Authorization: Bearer …", {
    headers: { 'www-authenticate': 'Bearer' },
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Throws where a browser was led here: by a name that is not ours, or from a page of somebody
 * else's.
 */
export function requireOwnHost(request: Request, hosts: ReadonlySet<string>): void {
  if (hosts.size === 0) return;
  requireOwnName(request, hosts);
  const origin = request.headers.get('origin');
  if (origin === null) return;
  const from = URL.canParse(origin) ? new URL(origin).host : '';
  if (!hosts.has(from)) throw new HttpRefusal(403, 'Pages of other origins may not call this');
}

/**
 * Throws where a name that is not ours led here: a name server may say that any name is at
 * 127.0.0.1, and the page under that name could then read whatever is answered.
 */
export function requireOwnName(request: Request, hosts: ReadonlySet<string>): void {
  if (hosts.size === 0) return;
  const host = (request.headers.get('host') ?? '').toLowerCase();
  if (!hosts.has(host)) {
    throw new HttpRefusal(
      421,
      `This server does not answer to the name ${host.slice(0, 200)}. To allow it, name it as its public URL`,
    );
  }
}
