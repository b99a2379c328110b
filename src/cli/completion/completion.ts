import type { Command } from 'commander';
import { visible } from '../../visible.js';
import type { RunCommand } from '../call.js';
import { EXIT } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { scripts } from './scripts.js';
import { placesOf } from './words.js';
import { argumentWithValues } from './with-values.js';

export function addCompletion(program: Command, run: RunCommand): void {
  const shells = Object.keys(scripts);
  program
    .command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(argumentWithValues('<shell>', shells.join(', '), shells))
    .action((shell: string) =>
      run(async ({ stdout }) => {
        const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
        if (script === undefined) {
          throw usageError(
            'shell',
            `There is no completion for ${visible(shell)}. Name one of ${shells.join(', ')}.`,
          );
        }
        await stdout.write(script(placesOf(program)));
        return EXIT.ok;
      }),
    );
}
