import {
  makeCredentialScrubber,
  makeScrubberCache,
} from '../../brokers/network/secrets/credential-scrubber.js';
import type { McpRemoteOptions } from '../remote.js';

/** Removes the credentials that a server was given from what it says. */
export interface OwnScrubbers {
  /** For errors: removes every value that the server was given, settings too. */
  readonly error: (text: string) => string;
  /** For results: settings stay, because a result may be about them. */
  readonly answer: (text: string) => string;
}

/** `login`: the credentials of the moment, which change as they are renewed. */
export function makeOwnScrubbers(
  options: McpRemoteOptions,
  login: () => readonly string[],
): OwnScrubbers {
  const given = Object.entries(('command' in options ? options.env : options.headers) ?? {});
  const secret = given.filter(isSecret).map(([, value]) => value);
  const scrubberOf = makeScrubberCache();
  return {
    error: (text) => makeCredentialScrubber([...given.map(([, value]) => value), ...login()])(text),
    answer: (text) => scrubberOf([...secret, ...login()])(text),
  };
}

/**
 * Headers and variables also have settings as values: paths of files, addresses and plain words. A value whose
 * name says that it is secret is none of them.
 */
function isSecret([name, value]: readonly [string, string]): boolean {
  return SECRET_NAME.test(name) || !isSetting(value);
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
