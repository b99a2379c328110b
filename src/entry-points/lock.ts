/** Accepted code: lock files, as the commands `add`, `update` and `diff` use them. */
export {
  type Acceptance,
  type Lockfile,
  type LockState,
  openLockfile,
} from '../engine/lockfile.js';
export type { Inspection } from '../engine/inspect-plugin.js';
export { type Changes, isChanged } from '../lock/changes.js';
export type { Lock, LockedPlugin, LockedTool, Pin } from '../lock/lock.js';
