import type { ExitCode } from './exit-codes.js';
import type { CliPowers } from './powers.js';

/** Runs the command that a line names, and exits with its code. */
export type RunCommand = (
  command: (powers: CliPowers) => Promise<ExitCode>,
  /** Whether an interruption is how it ends, and no failure. Default: false. */
  options?: { readonly endsWhenInterrupted?: boolean },
) => Promise<void>;
