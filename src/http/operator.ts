import { createHash, timingSafeEqual } from 'node:crypto';
import { type Credentials, type Role, ROLES } from './credentials.js';
import { HttpRefusal } from './refusal.js';

/** The part of a request that is checked before its body. */
export interface RequestHead {
  readonly method: string;
  readonly headers: { readonly get: (name: string) => string | null };
}

/** Who may use the routes of the operator. Its members are read at each request. */
export interface OperatorDoor {
  readonly credentials: Credentials;
  /** Whether callers without a token may call and view. They never answer. */
  readonly openLoopback: boolean;
  /** Host headers to answer, in lower case. If empty: all. */
  readonly hosts: ReadonlySet<string>;
  /** Host headers that the console answers, in lower case. It is never open to all. */
  readonly consoleHosts?: ReadonlySet<string>;
}

/** Throws for a request that does not come from a caller with one of the roles. */
export function admit(request: RequestHead, roles: readonly Role[], door: OperatorDoor): void {
  requireOwnHost(request, door.hosts);
  requireOwnSite(request);
  requireJson(request);
  // guard: open-loopback-never-answers
  if (door.openLoopback && roles.some((role) => role === 'call' || role === 'view')) return;
  requireToken(request, roles, door.credentials);
}

/** Throws 401 for a request without a token, and 403 for a token of another role. */
export function requireToken(
  request: RequestHead,
  roles: readonly Role[],
  credentials: Credentials,
): void {
  const [scheme = '', value = ''] = (request.headers.get('authorization') ?? '').trim().split(/ +/);
  const given = scheme.toLowerCase() === 'bearer' ? value : '';
  const held = rolesOf(given, credentials);
  // guard: operator-role-required
  if (held.some((role) => roles.includes(role))) return;
  const wanted = roles.join(' or ');
  if (held.length > 0) {
    throw new HttpRefusal(
      403,
      `This token may ${held.join(', ')}. This path needs the token to ${wanted}`,
    );
  }
  throw new HttpRefusal(401, `This path needs the token to ${wanted}, as Authorization: Bearer …`, {
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** The roles of which this is the token: one, or none. */
export function rolesOf(token: string, credentials: Credentials): readonly Role[] {
  // guard: empty-token-matches-nothing
  if (token === '') return [];
  // Compares digests: the time does not depend on how many characters are right.
  const given = digest(token);
  const known = digestsOf(credentials);
  return ROLES.filter((role) => timingSafeEqual(given, known[role]));
}

const digests = new WeakMap<Credentials, Readonly<Record<Role, Buffer>>>();

/** Computed once for credentials, which never change in place. */
function digestsOf(credentials: Credentials): Readonly<Record<Role, Buffer>> {
  const known = digests.get(credentials);
  if (known !== undefined) return known;
  const made = {
    call: digest(credentials.call),
    view: digest(credentials.view),
    answer: digest(credentials.answer),
    administer: digest(credentials.administer),
  };
  digests.set(credentials, made);
  return made;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Throws for a browser that used another host name, or that sends from a page of another origin. */
function requireOwnHost(request: RequestHead, hosts: ReadonlySet<string>): void {
  if (hosts.size === 0) return;
  requireOwnName(request, hosts);
  const origin = request.headers.get('origin');
  if (origin === null) return;
  const from = URL.canParse(origin) ? new URL(origin).host : '';
  // guard: operator-origin-checked
  if (!hosts.has(from))
    throw new HttpRefusal(403, 'Pages of other origins may not call this server');
}

/** Throws for a request that a browser sends for a page of another site. Other clients omit the header. */
function requireOwnSite(request: RequestHead): void {
  const site = request.headers.get('sec-fetch-site') ?? 'none';
  // guard: operator-fetch-site-checked
  if (site !== 'none' && site !== 'same-origin')
    throw new HttpRefusal(403, 'Pages of other sites may not call this server');
}

/** Throws for a body that a form of a web page can send. */
function requireJson(request: RequestHead): void {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'DELETE') return;
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  // guard: operator-content-type-checked
  if (type.trim().toLowerCase() !== 'application/json')
    throw new HttpRefusal(415, 'Send JSON, with content-type: application/json');
}

/**
 * Throws for another host name. An attacker's name may resolve to 127.0.0.1, and the page under that
 * name could then read every answer.
 */
export function requireOwnName(request: RequestHead, hosts: ReadonlySet<string>): void {
  if (hosts.size === 0) return;
  const host = (request.headers.get('host') ?? '').toLowerCase();
  // guard: operator-host-header-checked
  if (!hosts.has(host)) {
    throw new HttpRefusal(
      421,
      `This server does not answer to the host name ${host.slice(0, 200)}. To allow it, set it as the public URL`,
    );
  }
}
