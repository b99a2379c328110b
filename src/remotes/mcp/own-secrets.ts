import type { McpRemoteOptions } from '../remote.js';

/**
 * The host's credentials that a server was given: values of headers, or of a command's variables. Those also
 * hold settings, which a result may name: files, addresses and plain words. They stay, unless their
 * name says that they are secret.
 */
export function secretsOf(options: McpRemoteOptions): readonly string[] {
  const given = Object.entries(('command' in options ? options.env : options.headers) ?? {});
  return given
    .filter(([name, value]) => SECRET_NAME.test(name) || !isSetting(value))
    .map(([, value]) => value);
}

const SECRET_NAME = /auth|token|key|secret|pass|pwd|credential|cookie|session|private/i;

function isSetting(value: string): boolean {
  if (PATH.test(value) || WORDS.test(value)) return true;
  if (!URL.canParse(value)) return false;
  const { origin, href } = new URL(value);
  // Some addresses are secrets: those of webhooks, for example.
  return href === `${origin}/`;
}

/** For example `application/json`, `us-east-1` and `Europe/Berlin`. */
const WORDS =
  /^(?:[a-z]{1,12}|[A-Z][a-z]{1,11}|[A-Z]{1,12}|\d{1,4})(?:[-_/., ](?:[a-z]{1,12}|[A-Z][a-z]{1,11}|\d{1,4})){0,5}$/;

/** A key in base64 may begin with a slash, but not with one of these directories. */
const PATH =
  /^\/(?:Applications|Library|Users|Volumes|bin|data|etc|home|mnt|opt|root|run|srv|tmp|usr|var|workspace)(?:\/|$)/;
