import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What V8 compiled of the guest's own code, kept between runs: with it a guest starts in two thirds
 * of the time. V8 takes it only from the same version with the same flags, and checks of the source
 * no more than its length, so the name of the file says all three, the source by its hash.
 */
export interface CodeCache {
  /**
   * A descriptor of the kept file, to be handed to a guest that reads it and closes it; `undefined`
   * while there is none. The first call that finds none has it made, by a process that nobody waits
   * for.
   */
  descriptor(): number | undefined;
  close(): void;
}

export interface CodeCacheSpec {
  /** Whoever can write here decides what code runs in guests. Made for its owner alone. */
  readonly directory: string;
  readonly node: string;
  /** Of V8 and Node, as guests are started with. */
  readonly flags: readonly string[];
  readonly script: string;
}

export function makeCodeCache(spec: CodeCacheSpec): CodeCache {
  let file: string | undefined;
  let opened: number | undefined;
  let asked = false;
  let closed = false;

  return {
    descriptor: () => {
      if (closed) return undefined;
      file ??= join(spec.directory, nameOf(spec));
      opened ??= openOwn(file);
      if (opened === undefined && !asked) {
        asked = true;
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
  const what = [node, version, arch, flags, readFileSync(script, 'utf8')];
  return `guest-${createHash('sha256').update(JSON.stringify(what)).digest('hex')}.v8`;
}

/** Code that somebody else could have written is not run, and over broken code V8 would crash. */
function openOwn(file: string): number | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const { uid, mode, size } = fstatSync(descriptor);
    const isOurs = uid === process.getuid?.() && (mode & 0o022) === 0;
    if (isOurs && isWhole(descriptor, size)) return descriptor;
    rmSync(file);
  } catch {
    // There is none yet, or none that can be read.
  }
  if (descriptor !== undefined) closeSync(descriptor);
  return undefined;
}

const DIGEST_BYTES = 32;

/** The last bytes are the digest of the others. */
function isWhole(descriptor: number, size: number): boolean {
  const bytes = Buffer.alloc(Math.min(size, MAX_BYTES));
  const read = readSync(descriptor, bytes, 0, bytes.length, 0);
  if (read !== size || size <= DIGEST_BYTES) return false;
  const content = bytes.subarray(0, -DIGEST_BYTES);
  return createHash('sha256').update(content).digest().equals(bytes.subarray(-DIGEST_BYTES));
}

const MAX_BYTES = 16 * 1024 * 1024;

/** The guest's script itself makes it, with no plugin and no pipe, and writes it whole or not at all. */
function make({ directory, node, flags, script }: CodeCacheSpec, file: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const maker = spawn(node, [...flags, script, 'cache', file], {
      env: {},
      cwd: '/',
      stdio: 'ignore',
      detached: true,
    });
    maker.on('error', () => {});
    maker.unref();
  } catch {
    // Guests compile their code themselves, then as now.
  }
}
