import { BulkheadError } from '../errors.js';

/** The package that an adapter needs. Rejects with `INVALID_OPTIONS` if it is not installed. */
export async function loadPeer<Module>(
  what: string,
  install: string,
  loading: Promise<Module>,
): Promise<Module> {
  try {
    return await loading;
  } catch (error) {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      `The tools for ${what} need a package that is not installed. To fix this, run: npm i ${install}`,
      { option: 'tools' },
      { cause: error },
    );
  }
}
