import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type BigIntStats,
} from 'node:fs';
import { isAbsolute, join, posix, relative, sep } from 'node:path';
import { type Evidence, type FileEvidence, type Found, inspectPath, stampOf } from './evidence.js';
import type { BundleLimits } from './spec.js';
import { BulkheadError } from '../../errors.js';
import { integrityOf } from '../integrity.js';

/** A file or directory of a plugin, after symbolic links were followed. */
export interface Located {
  readonly kind: 'file' | 'directory';
  /** Its real path, relative to the plugin's directory; `''` for the directory itself. */
  readonly path: string;
}

/**
 * The files of a plugin's directory. All paths are relative to it, with `/`. Symbolic links are
 * followed step by step, so that a link out of the directory is refused before anything outside is
 * accessed. Throws `OUTSIDE_PLUGIN`, and `BUNDLE_FAILED` at a cap.
 */
export interface PluginFiles {
  locate(path: string): Located | undefined;
  /** Whether the directory is one of a `node_modules`. */
  readonly isInstalled: boolean;
  /** The text of a regular file that `locate` returned, read once. */
  read(path: string): string;
  readonly evidence: Evidence;
}

const MAX_LINKS = 40;

export function openPluginFiles(root: string, limits: BundleLimits): PluginFiles {
  const lookups = new Map<string, Found>();
  const files = new Map<string, FileEvidence>();
  const located = new Map<string, Located | undefined>();
  const texts = new Map<string, string>();
  let totalBytes = 0;

  const find = (path: string): Found => {
    const known = lookups.get(path);
    if (known !== undefined) return known;
    if (lookups.size >= limits.maxLookups) throw capReached('lookups', limits.maxLookups);
    const found = inspectPath(join(root, path));
    lookups.set(path, found);
    return found;
  };

  const locate = (path: string): Located | undefined => {
    const rest = path.split('/').filter((part) => part !== '' && part !== '.');
    let here: Located = { kind: 'directory', path: '' };
    let links = 0;
    for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
      if (here.kind !== 'directory') return undefined;
      if (part === '..') {
        // guard: import-inside-plugin
        if (here.path === '') throw outside(path);
        here = { kind: 'directory', path: parentOf(here.path) };
        continue;
      }
      const next = here.path === '' ? part : `${here.path}/${part}`;
      const found = find(next);
      if (found === 'file' || found === 'directory') here = { kind: found, path: next };
      else if (found.startsWith('link:')) {
        links += 1;
        if (links > MAX_LINKS) return undefined;
        const target = found.slice('link:'.length);
        const inside = isAbsolute(target) ? relative(root, target) : target;
        if (isAbsolute(target)) {
          if (inside.startsWith('..') || isAbsolute(inside)) throw outside(path);
          here = { kind: 'directory', path: '' };
        }
        rest.unshift(...inside.split(sep).filter((step) => step !== '' && step !== '.'));
      } else return undefined;
    }
    return here;
  };

  return {
    locate: (path) => {
      if (!located.has(path)) located.set(path, locate(path));
      return located.get(path);
    },
    read: (path) => {
      const known = texts.get(path);
      if (known !== undefined) return known;
      // guard: source-file-cap
      if (files.size >= limits.maxFiles) throw capReached('files', limits.maxFiles);
      // guard: source-byte-cap
      const { content, stamp } = readRegularFile(join(root, path), path, limits.maxFileBytes);
      totalBytes += content.length;
      if (totalBytes > limits.maxTotalBytes) {
        throw capReached('bytes in total', limits.maxTotalBytes);
      }
      files.set(path, { bytes: content.length, hash: integrityOf(content), stamp });
      const text = content.toString('utf8');
      texts.set(path, text);
      return text;
    },
    isInstalled: /\/node_modules\/(?:@[^/]+\/)?[^/]+\/?$/.test(root.split(sep).join('/')),
    get evidence() {
      return { root, files: Object.fromEntries(files), lookups: Object.fromEntries(lookups) };
    },
  };
}

export function parentOf(path: string): string {
  const parent = posix.dirname(path);
  return parent === '.' ? '' : parent;
}

/**
 * Reads a regular file. Opening never blocks (a FIFO without a writer) and never follows a link that
 * replaced the file. The opened file must still be at that path: if a link replaces one of its
 * directories meanwhile, this throws.
 */
function readRegularFile(
  absolute: string,
  path: string,
  maxBytes: number,
): { readonly content: Buffer; readonly stamp: string } {
  const descriptor = openSync(
    absolute,
    constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0),
  );
  try {
    const opened = fstatSync(descriptor, { bigint: true });
    // guard: source-is-regular-file
    if (!opened.isFile() || !isStillThere(descriptor, opened, absolute)) throw outside(path);
    if (opened.size > maxBytes) throw capReached(`bytes in ${path}`, maxBytes);
    return { content: readAll(descriptor, path, maxBytes), stamp: stampOf(opened) };
  } finally {
    closeSync(descriptor);
  }
}

function isStillThere(descriptor: number, opened: BigIntStats, absolute: string): boolean {
  // Linux knows the path of an open file. On other systems, two checks of the path replace that.
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === absolute;
    } catch {
      // /proc is not mounted.
    }
  }
  const now = lstatSync(absolute, { bigint: true });
  return now.ino === opened.ino && now.dev === opened.dev && realpathSync(absolute) === absolute;
}

function readAll(descriptor: number, path: string, maxBytes: number): Buffer {
  const parts: Buffer[] = [];
  let total = 0;
  for (;;) {
    const part = Buffer.alloc(64 * 1024);
    const bytes = readSync(descriptor, part, 0, part.length, null);
    if (bytes === 0) return Buffer.concat(parts, total);
    total += bytes;
    // The file may grow while it is read.
    if (total > maxBytes) throw capReached(`bytes in ${path}`, maxBytes);
    parts.push(part.subarray(0, bytes));
  }
}

function outside(path: string): BulkheadError<'OUTSIDE_PLUGIN'> {
  return new BulkheadError(
    'OUTSIDE_PLUGIN',
    `"${path}" leads out of the plugin's directory. Copy the file into the directory.`,
    { path },
  );
}

function capReached(what: string, max: number): BulkheadError<'BUNDLE_FAILED'> {
  const message = `The plugin's sources exceed the limit of ${max} ${what}.`;
  return new BulkheadError('BUNDLE_FAILED', message, {
    problems: [
      { message, remedy: 'Bundle fewer or smaller files, or raise the limit in the host.' },
    ],
  });
}
