import type { DirectoryReader, Format } from '../formats/format.js';
import { readOwnFile } from '../formats/plugin-files.js';
import { placeOfProblem } from '../schema/json-text.js';
import { locateInManifest } from '../report/manifest-place.js';
import type { CheckFinding } from './finding.js';

/** The text of a plugin's manifest, with its name. */
export interface ManifestText {
  readonly file: string;
  readonly text: string;
}

/** Manifests take kilobytes. */
const MAX_BYTES = 256 * 1024;

/** Reads the manifest again, for places in it. `undefined` if it cannot be read. */
export async function readManifestText(
  reader: DirectoryReader,
  directory: string,
  file: string,
): Promise<ManifestText | undefined> {
  const root = (await reader.realpath(directory)) ?? directory;
  const text = await readOwnFile(reader, root, file, MAX_BYTES).catch(() => undefined);
  return text === undefined ? undefined : { file, text };
}

/** Keys that the format does not read. At the top of a manifest, other programs have keys too. */
export function unreadKeys(
  { file, text }: ManifestText,
  { manifestShape }: Format,
): readonly CheckFinding[] {
  const data = parse(text);
  return (manifestShape?.findUnread?.(data, '') ?? [])
    .filter(({ at, meant }) => at !== '' || meant !== undefined)
    .map(({ at, key, meant }): CheckFinding => ({
      rule: 'manifest-key',
      level: meant === undefined ? 'warning' : 'error',
      message: `${at === '' ? '' : `${at}.`}${key} is not read.`,
      fix: meant === undefined ? 'Remove it.' : `Did you mean "${meant}"?`,
      file,
      ...locateInManifest(text, key),
    }));
}

/** A problem as the format words it, `path: what is wrong`, at its key in the manifest. */
export function manifestProblem(
  manifest: ManifestText | undefined,
  problem: string,
  fallback: string,
): CheckFinding {
  const own = placeOfProblem(problem);
  if (own !== undefined) {
    return {
      rule: 'manifest',
      level: 'error',
      message: `The manifest ${own.message}.`,
      file: manifest?.file ?? fallback,
      line: own.line,
      column: own.column,
    };
  }
  // It is about a file of the plugin, as formats find them.
  const [, file] = /^([^\s:]+\.[cm]?[jt]sx?): /.exec(problem) ?? [];
  if (file !== undefined) {
    return { rule: 'manifest', level: 'error', message: sentence(problem), file };
  }
  const path = /^([\w$.[\]"-]+):/.exec(problem)?.[1] ?? '';
  // A key that is missing is missing in one of those above it.
  const key = path
    .split(/[.[]/)
    .findLast(
      (part) => /^[A-Za-z_$]/.test(part) && manifest?.text.includes(JSON.stringify(part)) === true,
    );
  const place =
    manifest === undefined || key === undefined
      ? { line: 1, column: 1 }
      : locateInManifest(manifest.text, key);
  return {
    rule: 'manifest',
    level: 'error',
    message: sentence(problem),
    file: manifest?.file ?? fallback,
    ...place,
  };
}

function sentence(text: string): string {
  return /[.?]$/.test(text) ? text : `${text}.`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // The format reports it.
    return undefined;
  }
}
