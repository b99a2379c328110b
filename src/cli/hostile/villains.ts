import { basename, join } from 'node:path';
import type { CliPowers } from '../powers.js';
import { type Expectations, readExpectations } from './expectations.js';

/** A hostile plugin of the package. */
export interface Villain {
  /** The name of its directory, which says what it tries. */
  readonly name: string;
  readonly directory: string;
  readonly expectations: Expectations;
}

/** Relative to the fixtures: a file among the hostile plugins that none of them was granted. */
export const SECRET_FILE = 'hostile/bait.txt';

/** What is in the other one, which plugins try to have bundled with their own. */
export const BUNDLED_SECRET = 'CANARY-OF-THE-HOST';

/** All of them: every directory beside the bait. */
export async function readVillains(
  powers: Pick<CliPowers, 'fixtures' | 'listDirectory' | 'readFile' | 'realPath'>,
): Promise<readonly Villain[]> {
  const parent = join(powers.fixtures, 'hostile');
  const names = (await powers.listDirectory(parent)).filter((name) => !name.includes('.'));
  return Promise.all(
    names.toSorted().map(async (name) => {
      const directory = await powers.realPath(join(parent, name));
      const expectations = await readExpectations(basename(directory), directory, powers);
      return { name, directory, expectations };
    }),
  );
}
