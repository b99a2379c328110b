import { BulkheadError } from '../../errors.js';
import type { Bundle } from '../plugin.js';
import type { InPieces } from './pieces.js';
import { brokenFilesOf } from './problems.js';
import type { BuiltUnit } from './units/linked-unit.js';

export type BuiltEntry = InPieces<BuiltUnit> & Pick<Bundle, 'broken'>;

export interface ListingBuild {
  /** The program. */
  readonly file: string;
  /** The error of the build with all files that the program lists. */
  readonly why: BulkheadError;
  /** Builds the program with the files that it lists, but for `broken`: by path, with the reason. */
  readonly withListed: (broken: ReadonlyMap<string, string>) => Promise<InPieces<BuiltUnit>>;
  /** Builds the program without the files that it lists. */
  readonly alone: () => Promise<InPieces<BuiltUnit>>;
}

/** Builds that may fail before all files are left out. One build reports most of the broken files. */
const MAX_TRIES = 8;

/**
 * Builds a program without those of its listed files that cannot be bundled. `broken` of the result names them, or the
 * program, if none of the files could be had.
 */
export async function buildWithoutBroken(listing: ListingBuild): Promise<BuiltEntry> {
  const { file, withListed } = listing;
  const broken = new Map<string, string>();
  // If a file is broken that the program imports by name, this throws.
  const alone = await listing.alone();
  let { why } = listing;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const found = [...brokenFilesOf(why)].filter(([path]) => !broken.has(path));
    if (found.length === 0) break;
    for (const [path, message] of found) broken.set(path, message);
    try {
      const built = await withListed(broken);
      // esbuild reports them in the order of its threads.
      const sorted = [...broken].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return { ...built, broken: sorted.map(([path, message]) => ({ file: path, message })) };
    } catch (error) {
      if (!(error instanceof BulkheadError)) throw error;
      why = error;
    }
  }
  const message = `The files that ${file} imports as it runs are left out. ${why.message}`;
  return { ...alone, broken: [{ file, message }] };
}
