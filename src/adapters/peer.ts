import { BulkheadError, messageOf } from '../errors.js';

/** The package that an adapter needs. Rejects with `INVALID_OPTIONS` if it is not installed, or does not load. */
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
      `The tools for ${what} need a package that ${whyNot(error)}. To fix this, run: npm i ${install}`,
      { option: 'tools' },
      { cause: error },
    );
  }
}

/** A package that is installed may be of another version, or not run on this Node. */
function whyNot(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
    ? 'is not installed'
    : `does not load on Node ${process.versions.node}: ${messageOf(error)}`;
}
