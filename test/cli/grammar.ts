import type { Command } from 'commander';
import { fillProgram, makeProgram } from '../../src/cli/run.js';

/** The command line's grammar, that runs nothing. */
export const program: Command = makeProgram('1.2.3', () => undefined);
await fillProgram(program, () => Promise.resolve());

/** Every command, with those of `rules` by both their words. */
export const commands: readonly { readonly path: string; readonly command: Command }[] =
  program.commands.flatMap((command) =>
    command.commands.length === 0
      ? [{ path: command.name(), command }]
      : command.commands.map((inner) => ({
          path: `${command.name()} ${inner.name()}`,
          command: inner,
        })),
  );
