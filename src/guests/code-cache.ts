import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectoriesSync } from '../make-directories.js';

/**
 * V8's compiled form of the guest's own code, cached on disk: a guest starts a third faster with it.
 * V8 accepts it only from the same version with the same flags, and checks only the length of the
 * source. So the file name is a hash of version, flags and source.
 */
export interface CodeCache {
  /**
   * A descriptor of the cached file, for a guest to read and close; `undefined` if there is no file.
   * The first call without a file starts a process that makes the file, and does not wait for it.
   */
  descriptor(): number | undefined;
  close(): void;
}

export interface CodeCacheSpec {
  /** Its writers control the code of guests, so only its owner can write in it. */
  readonly directory: string;
  readonly node: string;
  /** The flags of V8 and Node that guests are started with. */
  readonly flags: readonly string[];
  readonly script: string;
}

export function makeCodeCache(spec: CodeCacheSpec): CodeCache {
  let file: string | undefined;
  let opened: number | undefined;
  let requested = false;
  let closed = false;

  return {
    descriptor: () => {
      if (closed) return undefined;
      file ??= join(spec.directory, nameOf(spec));
      opened ??= openOwn(file);
      if (opened === undefined && !requested) {
        requested = true;
        make(spec, file);
      }
      return opened;
    },
    close: () => {
      closed = true;
      if (opened !== undefined) closeSync(opened);
      opened = undefined;
    },
  };
}

function nameOf({ node, flags, script }: CodeCacheSpec): string {
  const { version, arch } = process;
  const about = JSON.stringify([node, version, arch, flags]);
  const hash = createHash('sha256').update(about).update(readFileSync(script));
  return `guest-${hash.digest('hex')}.v8`;
}

/** Refuses a file that another user could have written, and a broken file, which would crash V8. */
function openOwn(file: string): number | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const { uid, mode, size } = fstatSync(descriptor);
    const isOurs = uid === process.getuid?.() && (mode & 0o022) === 0;
    if (isOurs && isWhole(descriptor, size)) return descriptor;
    rmSync(file);
  } catch {
    // There is no file, or it cannot be read.
  }
  if (descriptor !== undefined) closeSync(descriptor);
  return undefined;
}

const DIGEST_BYTES = 32;

/** Whether the last bytes are the digest of the others. */
function isWhole(descriptor: number, size: number): boolean {
  const bytes = Buffer.alloc(Math.min(size, MAX_BYTES));
  const read = readSync(descriptor, bytes, 0, bytes.length, 0);
  if (read !== size || size <= DIGEST_BYTES) return false;
  const content = bytes.subarray(0, -DIGEST_BYTES);
  return createHash('sha256').update(content).digest().equals(bytes.subarray(-DIGEST_BYTES));
}

const MAX_BYTES = 16 * 1024 * 1024;

/** Runs the guest's script without plugin and pipe. The script writes the file completely or not at all. */
function make({ directory, node, flags, script }: CodeCacheSpec, file: string): void {
  try {
    makeDirectoriesSync(directory, 0o700);
    const maker = spawn(node, [...flags, script, 'cache', file], {
      env: {},
      cwd: '/',
      stdio: 'ignore',
      detached: true,
    });
    maker.on('error', () => {});
    maker.unref();
  } catch {
    // Guests then compile their code themselves.
  }
}
