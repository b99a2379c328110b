import { dirname, join, resolve } from 'node:path';
import { openLockFiles } from '../powers/lock-files.js';
import { type HeldLock, holdLock } from './held-lock.js';

/** Opens a lock file by its path; what it keeps lies in `.bulkhead/store` beside it. */
export function openLock(path: string): HeldLock {
  const file = resolve(path);
  return holdLock(openLockFiles(file, join(dirname(file), '.bulkhead', 'store')));
}
