import { linkSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectoriesSync } from '../../make-directories.js';
import { type ApprovalFiles, makeMemoryFiles } from '../../approval/store.js';
import { draftOf, removeOldDrafts, syncDirectorySync, writeNewFile } from '../../replace-file.js';
import { systemCode, messageOf } from '../../errors.js';

/** Larger than any question: an input has at most 64 MiB. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Stores approvals as files in `.approvals` of the storage directory. Only the owner can read them
 * (mode 0600). No plugin can have a storage directory of that name. The directory is created when it
 * is first needed.
 */
export function openApprovalFiles(storageDirectory: string): ApprovalFiles {
  const directory = join(storageDirectory, '.approvals');
  return {
    create: (name, text) => {
      makeDirectoriesSync(directory, 0o700);
      removeOldDrafts(directory);
      const draft = draftOf(join(directory, name));
      try {
        writeNewFile(draft, text, 0o600, true);
        // Unlike a rename, a link never replaces a file.
        linkSync(draft, join(directory, name));
      } catch (error) {
        if (systemCode(error) === 'EEXIST') return false;
        throw error;
      } finally {
        rmSync(draft, { force: true });
      }
      syncDirectorySync(directory);
      return true;
    },
    read: (name) => {
      const path = join(directory, name);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found === undefined) return undefined;
      // guard: approval-files-are-own
      if (!found.isFile() || found.size > MAX_BYTES || !isOwn(found.uid)) return '';
      return readFileSync(path, 'utf8');
    },
    names: () => {
      try {
        return readdirSync(directory);
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return [];
        throw error;
      }
    },
    remove: (name) => rmSync(join(directory, name), { force: true }),
  };
}

/**
 * The files, or this process's memory if the directory cannot be created. `onMemory` is then called
 * once, with the reason.
 */
export function openApprovalFilesOrMemory(
  storageDirectory: string,
  onMemory: (reason: string) => void,
): ApprovalFiles {
  const disk = openApprovalFiles(storageDirectory);
  const memory = makeMemoryFiles();
  let used: ApprovalFiles = disk;
  return {
    create: (name, text) => {
      if (used === memory) return memory.create(name, text);
      try {
        return disk.create(name, text);
      } catch (error) {
        // After the first file, an error is an error: the questions are on the disk.
        if (disk.names().length > 0) throw error;
        onMemory(messageOf(error));
        used = memory;
        return memory.create(name, text);
      }
    },
    read: (name) => used.read(name),
    names: () => used.names(),
    remove: (name) => used.remove(name),
  };
}

function isOwn(uid: number): boolean {
  return process.getuid === undefined || process.getuid() === uid;
}
