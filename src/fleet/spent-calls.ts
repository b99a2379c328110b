import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectoriesSync } from '../make-directories.js';
import { systemCode } from '../errors.js';
import { replaceFileSync } from '../replace-file.js';

/** The calls that a runner has begun. They outlive the process, so that no message runs a call twice. */
export interface SpentCalls {
  /** Notes a call. `false`: it was noted before, and must not begin. It may begin only after `save`. */
  spend(id: string, expiresAtMs: number): boolean;
  /** Writes the calls that were noted since the last time. Throws errors of the system: none of them may begin then. */
  save(): void;
  close(): void;
}

/** After so many further calls, the file is replaced by one without the expired calls. */
const COMPACT_AFTER = 50_000;

/** Opens the file in the runner's state directory. `write` returns how many bytes it wrote. Throws errors of the system. */
export function openSpentCalls(
  directory: string,
  now: () => number,
  write: (descriptor: number, bytes: Uint8Array) => number = writeSync,
): SpentCalls {
  makeDirectoriesSync(directory, 0o700);
  const file = join(directory, 'spent-calls');
  const spent = readSpent(file, now());
  let noted = 0;
  let open: number | undefined;
  const compact = (): void => {
    const at = now();
    for (const [id, expiresAtMs] of spent) if (expiresAtMs < at) spent.delete(id);
    const text = [...spent].map(([id, expiresAtMs]) => lineOf(id, expiresAtMs)).join('');
    replaceFileSync(file, text, { mode: 0o600, durable: true });
    noted = 0;
    if (open !== undefined) closeSync(open);
    open = openSync(file, 'a', 0o600);
  };
  compact();
  let unsaved = '';
  /** Ends a line that a failed write may have begun. */
  let separator = '';
  return {
    spend: (id, expiresAtMs) => {
      // guard: fleet-call-spent-once
      if (spent.has(id)) return false;
      spent.set(id, expiresAtMs);
      noted += 1;
      unsaved += lineOf(id, expiresAtMs);
      return true;
    },
    save: () => {
      const lines = unsaved;
      unsaved = '';
      if (open === undefined) throw new Error('it is closed');
      if (noted >= COMPACT_AFTER) return compact();
      try {
        let bytes = Buffer.from(separator + lines, 'utf8');
        while (bytes.length > 0) bytes = bytes.subarray(write(open, bytes));
        separator = '';
      } catch (error) {
        separator = '\n';
        throw error;
      }
    },
    close: () => {
      if (open !== undefined) closeSync(open);
      open = undefined;
    },
  };
}

function lineOf(id: string, expiresAtMs: number): string {
  return `${id} ${expiresAtMs}\n`;
}

/** The calls whose messages have not expired. A line that a crash cut off is left out. */
function readSpent(file: string, at: number): Map<string, number> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return new Map();
    throw error;
  }
  return new Map(
    text.split('\n').flatMap((line) => {
      const [id = '', expires = ''] = line.split(' ');
      return id !== '' && Number(expires) >= at ? [[id, Number(expires)] as const] : [];
    }),
  );
}
