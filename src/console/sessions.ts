import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * What a session of the console allows. `view`: read every page. `answer`: answer approvals. `administer`:
 * switch plugins, and stop or resume everything.
 */
export type Right = 'view' | 'answer' | 'administer';

/** A browser that was let in. */
export interface Session {
  readonly rights: ReadonlySet<Right>;
  /** Who is in this session, for the audit log. */
  readonly by: string;
  /** The token that every form of this session carries. */
  readonly formToken: string;
}

/** Who a credential lets in. */
export type Entrant = Pick<Session, 'by' | 'rights'>;

export interface Sessions {
  /** A new code for a link. It works once, within `LINK_MS`. It replaces the last code. */
  newCode(): string;
  /** Spends the code. Returns the cookie of a new session; `undefined` if the code is not valid. */
  exchange(code: string, entrant: Entrant): string | undefined;
  /** Starts a session, and returns its cookie. */
  start(entrant: Entrant): string;
  find(cookie: string | undefined): Session | undefined;
  end(cookie: string | undefined): void;
}

/** Milliseconds for which a one-time link works. */
export const LINK_MS: number = 5 * 60_000;

/** Milliseconds for which a session lasts. */
const SESSION_MS = 12 * 3_600_000;

/** The session that began first ends for a new one. */
const MAX_SESSIONS = 64;

export function makeSessions(now: () => number): Sessions {
  let pending: { readonly digest: Buffer; readonly untilMs: number } | undefined;
  /** By the digest of the cookie, so that the time of a lookup does not depend on the cookie. */
  const sessions = new Map<string, Session & { readonly untilMs: number }>();

  const start = ({ rights, by }: Entrant): string => {
    const cookie = newSecret();
    sessions.set(keyOf(cookie), {
      rights,
      by,
      formToken: newSecret(),
      untilMs: now() + SESSION_MS,
    });
    const [oldest] = sessions.keys();
    if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    return cookie;
  };

  return {
    newCode: () => {
      const code = newSecret();
      pending = { digest: digestOf(code), untilMs: now() + LINK_MS };
      return code;
    },
    exchange: (code, entrant) => {
      const held = pending;
      if (held === undefined || !timingSafeEqual(held.digest, digestOf(code))) return undefined;
      // guard: console-link-used-once
      pending = undefined;
      // guard: console-link-expires
      if (now() >= held.untilMs) return undefined;
      return start(entrant);
    },
    start,
    find: (cookie) => {
      if (cookie === undefined) return undefined;
      const found = sessions.get(keyOf(cookie));
      // guard: console-session-expires
      if (found === undefined || now() >= found.untilMs) return undefined;
      return found;
    },
    end: (cookie) => {
      if (cookie !== undefined) sessions.delete(keyOf(cookie));
    },
  };
}

/** Compares secrets: the time does not depend on how many characters are right. */
export function isSameSecret(given: string, secret: string): boolean {
  return given !== '' && timingSafeEqual(digestOf(given), digestOf(secret));
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function keyOf(cookie: string): string {
  return digestOf(cookie).toString('base64');
}
