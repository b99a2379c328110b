import { readFileSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { auditFailed } from '../failure.js';

/** How long a process waits for another to let go: a command that ends soon. */
const WAIT_MS = 5_000;
const POLL_MS = 50;

/**
 * Takes the right to write a log: two writers would each continue the chain, and break it. The right
 * of a process that is gone is void. Resolves with what gives it back; throws `AUDIT_FAILED`.
 */
export async function lockLog(
  path: string,
  waitMs: number = WAIT_MS,
): Promise<() => Promise<void>> {
  const lock = `${path}.lock`;
  const own = holderText(process.pid);
  for (let waited = 0; ; waited += POLL_MS) {
    if (await take(lock, own)) return () => release(lock, own);
    const holder = await readFile(lock, 'utf8').catch(() => '');
    if (holder !== '' && !isAlive(holder)) await discard(lock, holder);
    else if (waited >= waitMs) {
      const [pid] = holder.split(' ');
      throw auditFailed(
        path,
        `is being written by process ${pid ?? '?'}: give each engine its own`,
      );
    } else await setTimeout(POLL_MS);
  }
}

async function take(lock: string, own: string): Promise<boolean> {
  try {
    const file = await open(lock, 'wx', 0o600);
    await file.writeFile(own);
    await file.close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw auditFailed(lock, 'cannot be locked', error);
  }
}

async function release(lock: string, own: string): Promise<void> {
  if ((await readFile(lock, 'utf8').catch(() => '')) === own) await rm(lock, { force: true });
}

/** Moved before it is looked at again: of several that find it stale, one gets it. */
async function discard(lock: string, stale: string): Promise<void> {
  const aside = `${lock}.${process.pid}`;
  try {
    await rename(lock, aside);
  } catch {
    return;
  }
  const moved = await readFile(aside, 'utf8').catch(() => stale);
  if (moved === stale) await rm(aside, { force: true });
  else await rename(aside, lock);
}

/** A process by its number and when it began: numbers are used again. */
function holderText(pid: number): string {
  return `${pid} ${startOf(pid)}`;
}

function isAlive(holder: string): boolean {
  const [pid = '', started = ''] = holder.split(' ');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // One that may not be signalled is another user's, and there.
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
