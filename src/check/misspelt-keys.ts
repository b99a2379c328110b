import { diskReader } from '../engine/node/disk-reader.js';
import { detectFormat } from '../formats/table.js';
import type { CheckFinding } from './finding.js';
import { readManifestText, unreadKeys } from './manifest-findings.js';

/** Keys of the manifest in a directory that are probably misspelt. None if it cannot be read. */
export async function findMisspeltKeys(directory: string): Promise<readonly CheckFinding[]> {
  const format = await detectFormat(diskReader, directory);
  const manifest = format && (await readManifestText(diskReader, directory, format.manifestFile));
  if (format === undefined || manifest === undefined) return [];
  return unreadKeys(manifest, format).filter(({ level }) => level === 'error');
}
