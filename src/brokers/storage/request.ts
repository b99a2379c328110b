import { isRecord } from '../../../sandbox/wire/json.js';
import type { StorageArea, StorageParams } from '../../../sandbox/wire/storage.js';
import type { StorageLimits } from '../limits.js';
import type { Refusals } from './refusals.js';

/** A parsed request of a guest. */
export interface StorageRequest {
  readonly op: StorageParams['op'];
  readonly area: StorageArea;
  /** Empty except in the area `user`. */
  readonly user: string;
  readonly path: Segments;
  readonly to: Segments;
  readonly recursive: boolean;
  readonly replace: boolean;
  /** The generation of the guest's copy. */
  readonly since: number | undefined;
  /** The maximum bytes of one file in that area. */
  readonly maxFileBytes: number;
}

/** A parsed step on a database. */
export interface DatabaseRequest extends StorageRequest {
  readonly stamp: string;
  readonly token: string;
  readonly offset: number;
  readonly length: number;
  readonly size: number;
  readonly kept: number;
  readonly runs: readonly (readonly [offset: number, length: number])[];
}

/** Parses the rest of the params of a step on a database. Throws a refusal. */
export function parseDatabaseRequest(
  params: unknown,
  request: StorageRequest,
  refusals: Refusals,
): DatabaseRequest {
  const given = isRecord(params) ? params : {};
  const count = (name: string): number => {
    const value = given[name] ?? 0;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw refusals.malformed(`has no ${name}`);
  };
  const text = (name: string): string => {
    const value = given[name];
    return typeof value === 'string' ? value.slice(0, MAX_STAMP) : '';
  };
  const runs = parseRuns(given['runs']);
  const size = count('size');
  let end = 0;
  for (const [offset, length] of runs) {
    // guard: database-runs-in-order
    if (
      !Number.isSafeInteger(offset) ||
      !Number.isSafeInteger(length) ||
      offset < end ||
      length < 1
    ) {
      throw refusals.malformed('has changes that are not in order');
    }
    end = offset + length;
  }
  if (end > size) throw refusals.malformed('has changes after its end');
  if (request.area !== 'data' && request.area !== 'work') {
    throw refusals.malformed('is not in a place for databases');
  }
  return {
    ...request,
    stamp: text('stamp'),
    token: text('token'),
    offset: count('offset'),
    // guard: database-read-cap
    length: Math.min(count('length'), MAX_READ_BYTES),
    size,
    kept: Math.min(count('kept'), size),
    runs,
  };
}

/** Offsets and lengths, without what is not one. */
export function parseRuns(runs: unknown): [number, number][] {
  if (!Array.isArray(runs)) return [];
  return runs.flatMap((run: unknown): [number, number][] => {
    const [offset, length] = Array.isArray(run) ? run.map(Number) : [];
    return offset === undefined || length === undefined ? [] : [[offset, length]];
  });
}

const MAX_STAMP = 200;
const MAX_READ_BYTES = 1024 * 1024;

/** Parses the params of `storage`. Throws a refusal for params that an honest guest never sends. */
export function parseRequest(
  params: unknown,
  limits: StorageLimits,
  refusals: Refusals,
): StorageRequest {
  const given = isRecord(params) ? params : {};
  const op = OPS.find((name) => name === given['op']);
  const area = AREAS.find((name) => name === (given['area'] ?? 'data'));
  if (op === undefined || area === undefined) {
    throw refusals.malformed('has an unknown area or operation');
  }
  const read = (path: unknown): Segments =>
    area === 'enclave' && !(op === 'list' && path === '')
      ? parseKey(path, refusals)
      : parsePath(path, limits, refusals);
  return {
    op,
    area,
    user: area === 'user' ? parseUser(given['user'], refusals) : '',
    path: op === 'usage' || op === 'copy' ? [] : read(given['path']),
    to: op === 'move' ? read(given['to']) : [],
    recursive: given['recursive'] === true,
    replace: given['replace'] !== false,
    since: typeof given['since'] === 'number' ? given['since'] : undefined,
    maxFileBytes:
      area === 'enclave'
        ? Math.min(limits.maxFileBytes, limits.maxValueBytes)
        : limits.maxFileBytes,
  };
}

const OPS = [
  'read',
  'write',
  'append',
  'list',
  'stat',
  'mkdir',
  'delete',
  'move',
  'usage',
  'copy',
  'db-state',
  'db-create',
  'db-read',
  'db-reserve',
  'db-commit',
  'db-release',
] as const;
const AREAS = ['data', 'work', 'user', 'enclave'] as const;

const MAX_USER = 256;

/** A user may have any name. On disk a name is never used as a path. */
function parseUser(user: unknown, refusals: Refusals): string {
  if (typeof user === 'string' && user !== '' && user.length <= MAX_USER) return user;
  throw refusals.malformed(`has no user. A user has 1 to ${MAX_USER} characters`);
}

/** A path in a plugin's storage, as a list of names, without `..`. Empty for the area itself. */
export type Segments = readonly string[];

/** Parses a path that a plugin wrote. Throws a refusal. */
export function parsePath(path: unknown, limits: StorageLimits, refusals: Refusals): Segments {
  if (typeof path !== 'string') throw refusals.malformed('is not a string');
  if (Buffer.byteLength(path) > limits.maxPathBytes) {
    throw refusals.limit('maxPathBytes', 'its path is too long');
  }
  const why = reasonAgainst(path);
  if (why !== undefined) throw refusals.malformed(why);
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.some((segment) => Buffer.byteLength(segment) > MAX_NAME_BYTES)) {
    throw refusals.limit('maxPathBytes', `a name in its path is longer than ${MAX_NAME_BYTES}`);
  }
  if (segments.length > limits.maxDepth) {
    throw refusals.limit('maxDepth', 'its path is too deep');
  }
  return segments;
}

/** All disks accept this length. */
const MAX_NAME_BYTES = 255;

function reasonAgainst(path: string): string | undefined {
  if (path.includes('\0')) return 'holds a NUL character';
  // Lone surrogates become U+FFFD on the way to the system: another file.
  if (/\p{Surrogate}/u.test(path)) return 'is not well-formed text';
  // oxlint-disable-next-line no-control-regex -- exactly these characters are what is refused
  if (/[\u0001-\u001f\u007f]/.test(path)) return 'holds a control character';
  if (path.includes('\\')) return 'holds a "\\". Write "/" between the names';
  if (path.startsWith('/')) return 'is absolute. Paths in storage begin at its top';
  if (path.split('/').includes('..')) return 'leads up with ".."';
  return undefined;
}

/** A key of the enclave: one name, of characters that all disks store unchanged. */
export function parseKey(key: unknown, refusals: Refusals): Segments {
  if (typeof key === 'string' && KEY.test(key) && key !== '.' && key !== '..') return [key];
  throw refusals.malformed(
    'is not a key of the enclave. A key has 1 to 128 letters, digits, "_", "-" and "."',
  );
}

const KEY = /^[a-zA-Z0-9_\-.]{1,128}$/;
