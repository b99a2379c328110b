import { type FinishedProgram, openFinishedPrograms } from './finished-programs.js';
import { processDefaults } from '../node/process-defaults.js';

/**
 * Reads the source of a finished program, without an engine. Default: the directories of an engine without
 * these options. Throws `INVALID_OPTIONS` if it is not kept, and `PROGRAM_FAILED` if it was changed.
 */
export function readFinishedProgram(
  id: string,
  {
    storageDirectory = processDefaults().storageDirectory,
    enclaveKeyFile = processDefaults().enclaveKeyFile,
  }: { readonly storageDirectory?: string; readonly enclaveKeyFile?: string } = {},
): FinishedProgram {
  const place = { storageDirectory, enclaveKeyFile, now: Date.now };
  return openFinishedPrograms(place, { warn: () => {} }).read(id);
}
