import { BulkheadError } from '../errors.js';

/** A package of the registry, as the operator names it. */
export interface PackageSpec {
  readonly name: string;
  /** A version, a range or a tag. Default: `latest`. */
  readonly version: string;
}

/** A commit of a repository whose top directory is a package. */
export interface GitSpec {
  readonly url: string;
  /** Its whole id. */
  readonly commit: string;
}

const PREFIX = 'npm:';
const SPEC =
  /^(?<name>(?:@[a-z0-9~-][a-z0-9._~-]{0,199}\/)?[a-z0-9~-][a-z0-9._~-]{0,199})(?:@(?<version>[A-Za-z0-9.^~*+-]{1,100}))?$/;

/** Whether a text names a package of the registry. */
export function isPackageSpec(text: string): boolean {
  return text.startsWith(PREFIX);
}

/**
 * Reads `npm:name`, `npm:@scope/name@1.2.3`. Throws `INVALID_OPTIONS`, also for what npm would fetch from
 * elsewhere: a URL, a git repository, a directory.
 */
export function parsePackageSpec(text: string): PackageSpec {
  const { name, version = 'latest' } = SPEC.exec(text.slice(PREFIX.length))?.groups ?? {};
  if (isPackageSpec(text) && name !== undefined) return { name, version };
  throw new BulkheadError(
    'INVALID_OPTIONS',
    `${JSON.stringify(text.slice(0, 200))} does not name a package of a registry. Write npm:name or npm:@scope/name@1.2.3.`,
    { option: 'package' },
  );
}

const GIT_PREFIX = 'git:';
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether a text names a commit of a repository. */
export function isGitSpec(text: string): boolean {
  return text.startsWith(GIT_PREFIX);
}

/** Reads `git:https://host/path#commit`. Throws `INVALID_OPTIONS`, also for a branch, a tag or a short id. */
export function parseGitSpec(text: string): GitSpec {
  const wrong = (why: string): BulkheadError =>
    new BulkheadError(
      'INVALID_OPTIONS',
      `${JSON.stringify(text.slice(0, 200))} does not name a commit: ${why}. Write git:https://host/repository#<commit of 40 digits>.`,
      { option: 'package' },
    );
  const [, address = '', commit = ''] = /^git:([^#]*)(?:#(.*))?$/s.exec(text) ?? [];
  if (!URL.canParse(address)) throw wrong('it has no URL');
  const url = new URL(address);
  const isLoopback = url.protocol === 'http:' && LOOPBACK.test(url.hostname);
  // guard: git-url-https
  if (url.protocol !== 'https:' && !isLoopback) throw wrong('its URL is not at https:');
  if (url.username !== '' || url.password !== '') throw wrong('its URL has a user or a password');
  // guard: git-whole-commit
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) {
    throw wrong('a branch, a tag or a short id can lead to other code later');
  }
  return { url: url.href, commit };
}
