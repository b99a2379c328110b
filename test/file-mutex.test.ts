import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type FileMutex, tryFileMutex } from '../src/file-mutex.js';

const root = mkdtempSync(join(tmpdir(), 'bulkhead-mutex-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const fresh = (): string => join(root, `m${(count += 1)}`);

function take(...args: Parameters<typeof tryFileMutex>): FileMutex {
  const mutex = tryFileMutex(...args);
  if ('heldBy' in mutex) throw new Error(`is held by ${mutex.heldBy}`);
  return mutex;
}

describe('a file mutex', () => {
  it('is held by one at a time, and free once it is released', () => {
    const path = fresh();
    const first = take(path);
    expect(tryFileMutex(path)).toEqual({ heldBy: String(process.pid) });
    first.release();
    expect(existsSync(path)).toBe(false);
    take(path).release();
  });

  it('is taken from a process that has ended', () => {
    const path = fresh();
    writeFileSync(path, '999999999 1 1');
    expect(take(path).isHeld()).toBe(true);
  });

  it('is taken from another process that began at another time under the same id', () => {
    const path = fresh();
    writeFileSync(path, `${process.pid} 1 1`);
    expect(take(path).isHeld()).toBe(true);
  });

  it('is taken after the time that it may be held, and the first holder can tell', () => {
    const path = fresh();
    const first = take(path, { abandonedAfterMs: 1_000 });
    utimesSync(path, 0, 0);
    const second = take(path, { abandonedAfterMs: 1_000 });
    expect([first.isHeld(), second.isHeld()]).toEqual([false, true]);
    first.release();
    expect(second.isHeld()).toBe(true);
  });

  it('without a name of its holder is taken after five seconds', () => {
    const path = fresh();
    writeFileSync(path, '');
    expect(tryFileMutex(path)).toEqual({ heldBy: '?' });
    utimesSync(path, 0, 0);
    take(path);
  });
});
