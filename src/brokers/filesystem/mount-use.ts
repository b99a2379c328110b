import type { FilesystemLimits } from '../limits.js';
import type { Refusals } from './refusals.js';

/** Bytes, and files with directories. */
export interface Amount {
  readonly bytes: number;
  readonly files: number;
}

/** What one plugin has added to its writable mounts since the engine was created. */
export interface MountUse {
  /** Runs one change at a time, of all guests of the plugin, so that none undoes another's checks. */
  exclusively<Result>(change: () => Promise<Result>): Promise<Result>;
  /**
   * Counts before a change that it adds this much, or throws a refusal. What a change removes counts less
   * than nothing, but gives no room beyond the limits: the files of others do not count.
   */
  charge(more: Amount, limits: FilesystemLimits, refusals: Refusals): void;
}

export function makeMountUse(): MountUse {
  let changing: Promise<unknown> = Promise.resolve();
  let used: Amount = { bytes: 0, files: 0 };
  return {
    exclusively: (change) => {
      const turn = changing.then(change);
      changing = turn.catch(() => {});
      return turn;
    },
    charge: (more, limits, refusals) => {
      const bytes = used.bytes + more.bytes;
      const files = used.files + more.files;
      // guard: mount-byte-quota
      if (more.bytes > 0 && bytes > limits.maxMountBytes) {
        throw refusals.limit('maxMountBytes', 'its mounts have no room for more bytes');
      }
      // guard: mount-file-quota
      if (more.files > 0 && files > limits.maxMountFiles) {
        throw refusals.limit('maxMountFiles', 'its mounts have no room for more files');
      }
      used = { bytes: Math.max(0, bytes), files: Math.max(0, files) };
    },
  };
}
