import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

/**
 * A log is one file that is written, and before it those that were full. They are named for the
 * first record in them, so that their order is that of their names:
 *
 * ```
 * audit.000000000001.jsonl   audit.000000051201.jsonl   audit.jsonl
 * ```
 */
export async function listFull(path: string): Promise<string[]> {
  const { stem, extension } = partsOf(path);
  const names = await readdir(dirname(path)).catch((): string[] => []);
  return names
    .filter((name) => firstSeqIn(name, stem, extension) !== undefined)
    .toSorted()
    .map((name) => join(dirname(path), name));
}

export function fullName(path: string, firstSeq: number): string {
  const { stem, extension } = partsOf(path);
  return join(dirname(path), `${stem}.${String(firstSeq).padStart(SEQ_DIGITS, '0')}${extension}`);
}

/** The first record of a full file, by its name. */
export function firstSeqOf(path: string, full: string): number {
  const { stem, extension } = partsOf(path);
  return firstSeqIn(basename(full), stem, extension) ?? 0;
}

const SEQ_DIGITS = 12;

function partsOf(path: string): { readonly stem: string; readonly extension: string } {
  const extension = extname(path);
  return { stem: basename(path, extension), extension };
}

function firstSeqIn(name: string, stem: string, extension: string): number | undefined {
  if (!name.startsWith(`${stem}.`) || !name.endsWith(extension)) return undefined;
  const digits = name.slice(stem.length + 1, name.length - extension.length);
  return digits.length === SEQ_DIGITS && /^\d+$/.test(digits) ? Number(digits) : undefined;
}
