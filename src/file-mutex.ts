import { randomBytes } from 'node:crypto';
import {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';

/** A mutex between the processes of a machine. The file at `path` names its holder. */
export interface FileMutex {
  /** Whether this holder still has the mutex: another process may have taken it as abandoned. */
  isHeld(): boolean;
  release(): void;
}

/**
 * Takes the mutex if it is free or abandoned; else returns the holder's process id (`?` if unknown).
 * Without `abandonedAfterMs` a mutex is abandoned if its holder's process has ended. With it, a mutex is
 * abandoned if the file's mtime differs from now by more than that. Throws errors of creating the file.
 */
export function tryFileMutex(
  path: string,
  options: { readonly abandonedAfterMs?: number } = {},
): FileMutex | { readonly heldBy: string } {
  const own = `${holderText(process.pid)} ${(acquisitions += 1)}`;
  // The second attempt follows the removal of an abandoned file.
  for (let attempt = 0; ; attempt += 1) {
    if (create(path, own)) {
      const isHeld = (): boolean => holderOf(path) === own;
      return {
        isHeld,
        release: () => {
          if (isHeld()) rmSync(path, { force: true });
        },
      };
    }
    const holder = holderOf(path);
    const abandoned = isAbandoned(path, holder, options.abandonedAfterMs);
    if (attempt > 0 || !abandoned || holder === undefined) {
      return { heldBy: holder?.split(' ')[0] || '?' };
    }
    remove(path, holder);
  }
}

/** Distinguishes several acquisitions by one process. */
let acquisitions = 0;

/** A holder writes its name immediately after it creates the file. */
const NAMELESS_MS = 5_000;

function isAbandoned(path: string, holder: string | undefined, afterMs?: number): boolean {
  if (holder !== undefined && holder !== '' && afterMs === undefined) return !isAlive(holder);
  const found = statSync(path, { throwIfNoEntry: false });
  // A future mtime also counts, because the clock may have been set back.
  return found !== undefined && Math.abs(Date.now() - found.mtimeMs) > (afterMs ?? NAMELESS_MS);
}

function create(path: string, own: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeSync(file, own);
  } finally {
    closeSync(file);
  }
  return true;
}

function holderOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Renames the file before the comparison, so that only one of several processes removes it. */
function remove(path: string, holder: string): void {
  const aside = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    renameSync(path, aside);
    if (holderOf(aside) === holder) rmSync(aside, { force: true });
    else renameSync(aside, path);
  } catch {
    // Another process was faster.
  }
}

/** A process by its id and start time, because process ids are reused. */
function holderText(pid: number): string {
  return `${pid} ${startOf(pid)}`;
}

function isAlive(holder: string): boolean {
  const [pid = '', started = ''] = holder.split(' ');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // EPERM: the process is alive and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return started === startOf(Number(pid));
}

function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '-';
  } catch {
    return '-';
  }
}
