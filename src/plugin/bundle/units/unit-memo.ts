import { LRUCache } from 'lru-cache';
import type { FileSnapshot, Located, PluginFiles } from '../files.js';
import type { LinkedUnit } from './linked-unit.js';

/**
 * The units that this process built, for a plugin that is bundled again after a change. A unit is used again if every
 * file that it was made from and the result of every lookup are the same.
 */
export interface UnitMemo {
  /** `key`: all that the unit depends on besides files. */
  build(
    key: string,
    files: PluginFiles,
    build: (files: PluginFiles) => Promise<LinkedUnit>,
  ): Promise<LinkedUnit>;
}

interface Remembered {
  readonly unit: LinkedUnit;
  readonly record: FileRecord;
}

/** What was read and looked up. */
interface FileRecord {
  readonly files: Map<string, FileSnapshot>;
  readonly located: Map<string, Located | undefined>;
  readonly listed: Map<string, readonly string[]>;
}

/** Characters of the units that are remembered, with their sources. The heap of the process has 2 GiB. */
const MAX_CHARACTERS = 128 * 1024 * 1024;

export function makeUnitMemo(): UnitMemo {
  const units = new LRUCache<string, Remembered>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ unit, record }) =>
      [
        unit.built.code,
        unit.built.sourceMap,
        ...[...record.files.values()].map(({ text }) => text),
      ].reduce((size, text) => size + text.length, 1),
  });
  return {
    build: async (key, files, build) => {
      const known = units.get(key);
      // guard: unit-memo-compares-sources
      if (known !== undefined && isSame(known.record, files)) return known.unit;
      const record: FileRecord = { files: new Map(), located: new Map(), listed: new Map() };
      const unit = await build(recording(files, record));
      units.set(key, { unit, record });
      return unit;
    },
  };
}

/** Looks at everything again, so that it is also evidence of the bundle that the unit becomes part of. */
function isSame({ files: read, located, listed }: FileRecord, files: PluginFiles): boolean {
  for (const [directory, former] of listed) {
    if (files.list(directory).join('/') !== former.join('/')) return false;
  }
  for (const [path, former] of located) {
    const now = files.locate(path);
    if (now?.kind !== former?.kind || now?.path !== former?.path) return false;
  }
  return [...read.values()].every((former) => files.isSame(former));
}

function recording(files: PluginFiles, { files: read, located, listed }: FileRecord): PluginFiles {
  return {
    list: (directory) => {
      const names = files.list(directory);
      listed.set(directory, names);
      return names;
    },
    locate: (path) => {
      const found = files.locate(path);
      located.set(path, found);
      return found;
    },
    read: (path) => {
      const text = files.read(path);
      const snapshot = files.snapshotOf(path);
      if (snapshot !== undefined) read.set(path, snapshot);
      return text;
    },
    readOwn: files.readOwn,
    snapshotOf: files.snapshotOf,
    isSame: files.isSame,
    isInstalled: files.isInstalled,
    evidenceOf: files.evidenceOf,
    get evidence() {
      return files.evidence;
    },
  };
}
