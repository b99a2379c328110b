import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  constants,
  fdatasyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeDirectoriesSync } from '../../make-directories.js';
import { systemCode } from '../../errors.js';
import { type FileMutex, tryFileMutex } from '../../file-mutex.js';

/** A log of texts, each one line. */
export interface SealedLog {
  /** Writes a text. With `durable`, it is on the disk when this returns. */
  append(text: string, durable?: boolean): void;
  close(): void;
}

/**
 * Logs in a directory, by id: files with mode 0600. Each line has a MAC over its text and the MAC before it,
 * so that no line can be changed, added, or taken out of the middle. A rest that was cut off cannot be seen.
 */
export interface SealedLogs {
  /** The ids of the logs. */
  list(): readonly string[];
  /** Creates a log with its first text, on the disk. Throws the errors of the write. */
  create(id: string, first: string): SealedLog;
  /** The texts of a log. Half a line at its end is left out. Throws `LogChanged`. */
  read(id: string): readonly string[];
  /** The same, and the log for further texts. */
  open(id: string): { readonly texts: readonly string[]; readonly log: SealedLog };
  remove(id: string): void;
  /** Excludes other processes from a log. Returns the id of the process that has it. */
  lock(id: string): FileMutex | { readonly heldBy: string };
  /** Where the log is, for messages. */
  pathOf(id: string): string;
}

/** A log was changed, or has another key. */
export class LogChanged extends Error {}

/** `key` is called when it is first needed. */
export function openSealedLogs(directory: string, key: () => Buffer): SealedLogs {
  const pathOf = (id: string): string => join(directory, `${id}.log`);
  const readWhole = (id: string): { texts: readonly string[]; mac: string; length: number } => {
    const bytes = readFileSync(pathOf(id));
    const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
    const texts: string[] = [];
    let mac = '';
    for (const line of whole.toString('utf8').split('\n').slice(0, -1)) {
      const text = line.slice(MAC_CHARACTERS + 1);
      const next = macOf(key(), mac, text);
      // guard: program-log-authenticated
      if (!isSame(next, line.slice(0, MAC_CHARACTERS))) throw new LogChanged();
      mac = next;
      texts.push(text);
    }
    return { texts, mac, length: whole.length };
  };
  const prepare = (): void => makeDirectoriesSync(directory, 0o700);
  return {
    pathOf,
    list: () => {
      try {
        return readdirSync(directory).flatMap((name) =>
          name.endsWith('.log') ? [name.slice(0, -'.log'.length)] : [],
        );
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return [];
        throw error;
      }
    },
    create: (id, first) => {
      prepare();
      const log = makeLog(openSync(pathOf(id), 'wx', 0o600), key(), '', 0);
      log.append(first, true);
      return log;
    },
    read: (id) => readWhole(id).texts,
    open: (id) => {
      const { texts, mac, length } = readWhole(id);
      // The last line of a host that was killed may be half a line: the next text replaces it.
      const file = openSync(pathOf(id), constants.O_RDWR);
      return { texts, log: makeLog(file, key(), mac, length) };
    },
    remove: (id) => rmSync(pathOf(id), { force: true }),
    lock: (id) => {
      prepare();
      return tryFileMutex(join(directory, `${id}.lock`));
    },
  };
}

function makeLog(file: number, key: Buffer, before: string, at: number): SealedLog {
  let mac = before;
  let position = at;
  let isOpen = true;
  return {
    append: (text, durable = false) => {
      if (!isOpen) return;
      mac = macOf(key, mac, text);
      const line = Buffer.from(`${mac} ${text}\n`);
      for (let done = 0; done < line.length;) {
        done += writeSync(file, line, done, line.length - done, position + done);
      }
      position += line.length;
      if (durable) fdatasyncSync(file);
    },
    close: () => {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

const MAC_CHARACTERS = 64;

function macOf(key: Buffer, before: string, text: string): string {
  return createHmac('sha256', key).update(before).update('\n').update(text).digest('hex');
}

function isSame(expected: string, actual: string): boolean {
  return (
    expected.length === actual.length && timingSafeEqual(Buffer.from(expected), Buffer.from(actual))
  );
}
