import { linkedProgram } from './linked-stdio.js';
import { process as plain } from './process.js';
import { stderr, stdin, stdout } from './standard-streams.js';

/** Stops the code after the call, as the end of a process would. */
class ProgramEnded extends Error {
  override readonly name = 'ProgramEnded';
}

/** The version of Node whose modules the replacements follow. Programs check for a minimum. */
const NODE = '22.12.0';

/**
 * `process` for a plugin that is a program: with standard streams, arguments and an end. Its signals
 * never arrive.
 */
export const process: object = Object.assign(plain, {
  stdin,
  stdout,
  stderr,
  argv: [...(linkedProgram()?.argv ?? [])],
  version: `v${NODE}`,
  versions: { node: NODE },
  exit: (code: unknown): never => {
    const given = code ?? Reflect.get(plain, 'exitCode') ?? 0;
    linkedProgram()?.exit(Number(given));
    throw new ProgramEnded(`process.exit(${String(given)})`);
  },
});

export const builtin: object = process;
