import { join } from 'node:path';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { CliCapabilities } from '../capabilities.js';
import { configDirectoryOf } from '../engine-options.js';

/** How a client started a server before `--import`. Environment values stay in the client's file. */
export interface FormerEntry {
  /** The client's file. */
  readonly file: string;
  /** The place of the entry in it. */
  readonly path: readonly string[];
  readonly command: string;
  /** With `{{NAME}}` in the place of a key that `--import` moved into the environment. */
  readonly args: readonly string[];
  /** The variables that `--import` added. */
  readonly added: readonly string[];
  /** Whether the entry had variables of its own. */
  readonly hadVariables: boolean;
}

type Files = Pick<CliCapabilities, 'environment' | 'readFile' | 'replaceText'>;

/** The entries of a client's file that `--uninstall` restores. */
export async function readFormerEntries(
  file: string,
  capabilities: Files,
): Promise<readonly FormerEntry[]> {
  return (await readAll(capabilities)).filter((entry) => entry.file === file);
}

/** Replaces what is stored of a client's file. */
export async function storeFormerEntries(
  file: string,
  entries: readonly FormerEntry[],
  capabilities: Files,
): Promise<void> {
  const place = placeOf(capabilities);
  if (place === undefined) return;
  const others = (await readAll(capabilities)).filter((entry) => entry.file !== file);
  const value = { version: 1, entries: [...others, ...entries] };
  await capabilities.replaceText(place, `${JSON.stringify(value, null, 2)}\n`);
}

function placeOf(capabilities: Pick<Files, 'environment'>): string | undefined {
  const directory = configDirectoryOf(capabilities);
  return directory === undefined ? undefined : join(directory, 'imported.json');
}

async function readAll(capabilities: Files): Promise<readonly FormerEntry[]> {
  const place = placeOf(capabilities);
  if (place === undefined) return [];
  const text = await capabilities.readFile(place).catch(() => '{}');
  const value: unknown = JSON.parse(text);
  const entries: unknown = isRecord(value) ? value['entries'] : undefined;
  return Array.isArray(entries) ? entries.filter(isFormerEntry) : [];
}

function isFormerEntry(value: unknown): value is FormerEntry {
  return (
    isRecord(value) &&
    typeof value['file'] === 'string' &&
    typeof value['command'] === 'string' &&
    typeof value['hadVariables'] === 'boolean' &&
    ['path', 'args', 'added'].every((key) => isTexts(value[key]))
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
