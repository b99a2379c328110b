import { isAbsolute, posix, relative, sep } from 'node:path';
import {
  type Evidence,
  type FileEvidence,
  type Found,
  inspectEntries,
  inspectPath,
  LISTING,
  stampNow,
} from './evidence.js';
import { absoluteOf, findHoisted, foldersOf, installedIn } from './hoisted.js';
import { capReached, outside, readRegularFile } from './regular-file.js';
import type { BundleLimits } from './spec.js';
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
 * accessed. Packages that npm put beside an installed plugin appear in its `node_modules`. Throws
 * `OUTSIDE_PLUGIN`, and `BUNDLE_FAILED` at a cap.
 */
export interface PluginFiles {
  locate(path: string): Located | undefined;
  /** Whether the directory is one of a `node_modules`. */
  readonly isInstalled: boolean;
  /** The names in a directory that `locate` returned, sorted. Empty if it cannot be read. */
  list(directory: string): readonly string[];
  /** The text of a regular file that `locate` returned, read once. */
  read(path: string): string;
  /**
   * The bytes of a regular file at that very path, without links. `undefined`: there is none, or it is larger than a
   * file of a package that becomes a part of its code.
   */
  readOwn(path: string): Buffer | undefined;
  /** A file that was read. */
  snapshotOf(path: string): FileSnapshot | undefined;
  /**
   * Whether a file is the same as when it was read for another bundle. It counts as read, and is read only if its
   * stamp is not enough to know.
   */
  isSame(former: FileSnapshot): boolean;
  /** The evidence of one file that was read. */
  evidenceOf(path: string): FileEvidence | undefined;
  /** That of all files and lookups so far. */
  readonly evidence: Evidence;
}

/** A file as it was read once. */
export interface FileSnapshot {
  readonly path: string;
  readonly text: string;
  readonly evidence: FileEvidence;
  /** Whether a later change has another stamp. Clocks of files may tick only every few milliseconds. */
  readonly isSettled: boolean;
}

/** Milliseconds from the last change of a file to a time when another one has another stamp. */
const SETTLED_MS = 50;

const MAX_LINKS = 40;

/** Bytes of a file that becomes a part of the code. */
const MAX_OWN_BYTES = 1024 * 1024;

export function openPluginFiles(root: string, limits: BundleLimits): PluginFiles {
  const lookups = new Map<string, Found>();
  const located = new Map<string, Located | undefined>();
  const snapshots = new Map<string, FileSnapshot>();
  const hoisted = findHoisted(root);
  const folders = foldersOf(hoisted);
  let totalBytes = 0;

  const find = (path: string): Found => {
    const known = lookups.get(path);
    if (known !== undefined) return known;
    if (lookups.size >= limits.maxLookups) throw capReached('lookups', limits.maxLookups);
    const found = inspectPath(absoluteOf(root, hoisted, path));
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
      else if (found === 'absent' && folders.has(next)) here = { kind: 'directory', path: next };
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

  const note = (snapshot: FileSnapshot): void => {
    const { path, evidence } = snapshot;
    // guard: source-file-cap
    if (snapshots.size >= limits.maxFiles) throw capReached('files', limits.maxFiles);
    totalBytes += evidence.bytes;
    if (totalBytes > limits.maxTotalBytes) {
      throw capReached('bytes in total', limits.maxTotalBytes);
    }
    snapshots.set(path, snapshot);
  };

  const readNow = (path: string): FileSnapshot => {
    // guard: source-byte-cap
    const { content, stamp, ageMs } = readRegularFile(
      absoluteOf(root, hoisted, path),
      path,
      limits.maxFileBytes,
    );
    const snapshot = {
      path,
      text: content.toString('utf8'),
      evidence: { bytes: content.length, hash: integrityOf(content), stamp },
      isSettled: ageMs >= SETTLED_MS,
    };
    note(snapshot);
    return snapshot;
  };

  return {
    locate: (path) => {
      if (!located.has(path)) located.set(path, locate(path));
      return located.get(path);
    },
    list: (directory) => {
      const place = directory.replace(/\/$/, '');
      const { names, found } = inspectEntries(absoluteOf(root, hoisted, place));
      if (lookups.size >= limits.maxLookups) throw capReached('lookups', limits.maxLookups);
      lookups.set(`${place}${LISTING}`, found);
      return names;
    },
    read: (path) => (snapshots.get(path) ?? readNow(path)).text,
    readOwn: (path) => {
      if (locate(path)?.kind !== 'file') return undefined;
      let content: Buffer;
      try {
        // It refuses links.
        ({ content } = readRegularFile(absoluteOf(root, hoisted, path), path, MAX_OWN_BYTES));
      } catch {
        return undefined;
      }
      const { evidence } = snapshots.get(path) ?? readNow(path);
      // A file that changed meanwhile is in the next build.
      return integrityOf(content) === evidence.hash ? content : undefined;
    },
    snapshotOf: (path) => snapshots.get(path),
    isSame: (former) => {
      const { path, text, evidence, isSettled } = former;
      const known = snapshots.get(path);
      if (known !== undefined) return known.text === text;
      // guard: unsettled-file-read-again
      if (isSettled && stampNow(absoluteOf(root, hoisted, path)) === evidence.stamp) {
        note(former);
        return true;
      }
      return readNow(path).text === text;
    },
    isInstalled: installedIn(root) !== undefined,
    evidenceOf: (path) => snapshots.get(path)?.evidence,
    get evidence() {
      return {
        root,
        hoisted,
        files: Object.fromEntries([...snapshots].map(([path, { evidence }]) => [path, evidence])),
        lookups: Object.fromEntries(lookups),
      };
    },
  };
}

export function parentOf(path: string): string {
  const parent = posix.dirname(path);
  return parent === '.' ? '' : parent;
}
