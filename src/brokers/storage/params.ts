import { isRecord } from '../../../sandbox/wire/parse.js';
import type { StorageArea, StorageParams } from '../../../sandbox/wire/storage.js';
import type { StorageLimits } from './limits.js';
import { parseKey, parsePath, type Segments } from './path.js';
import type { Refusals } from './refusals.js';

/** What a guest asked of its storage, read. */
export interface StorageRequest {
  readonly op: StorageParams['op'];
  readonly area: StorageArea;
  /** Empty but in the area `user`. */
  readonly user: string;
  readonly path: Segments;
  readonly to: Segments;
  readonly recursive: boolean;
  readonly replace: boolean;
  /** The generation that the guest has. */
  readonly since: number | undefined;
  /** Bytes that one file of that area may have. */
  readonly maxFileBytes: number;
}

/** Reads the params of `storage`. Throws a refusal for what no honest guest sends. */
export function parseRequest(
  params: unknown,
  limits: StorageLimits,
  refusals: Refusals,
): StorageRequest {
  const given = isRecord(params) ? params : {};
  const op = OPS.find((name) => name === given['op']);
  const area = AREAS.find((name) => name === (given['area'] ?? 'data'));
  if (op === undefined || area === undefined) {
    throw refusals.malformed('is in no area of storage, or for something that storage does not do');
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
] as const;
const AREAS = ['data', 'work', 'user', 'enclave'] as const;

const MAX_USER = 256;

/** Any text may be somebody's name; on disk it is never a path. */
function parseUser(user: unknown, refusals: Refusals): string {
  if (typeof user === 'string' && user !== '' && user.length <= MAX_USER) return user;
  throw refusals.malformed(`is for no user: one is named by 1 to ${MAX_USER} characters`);
}
