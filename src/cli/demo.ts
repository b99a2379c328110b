import type { Command } from 'commander';
import type { RunCommand } from './call.js';
import { EXIT } from './exit-codes.js';

export function addDemo(program: Command, run: RunCommand): void {
  program
    .command('demo')
    .description('load the example plugins, call them, and let a hostile one try to break out')
    .option('--once', 'end when it is done, also at a terminal')
    .action(() => run(() => Promise.resolve(EXIT.ok)));
}
