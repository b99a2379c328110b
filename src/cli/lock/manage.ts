import type { Command } from 'commander';
import type { LockBook } from '../../index.js';
import type { RunCommand } from '../call.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { CliPowers } from '../powers.js';
import { jsonLine, visible } from '../visible.js';
import { addLockOptions, type LockSettings, openBook, whoIs } from './options.js';

interface Change {
  readonly name: string;
  readonly description: string;
  readonly done: string;
  readonly make: (book: LockBook, id: string, by: string) => void;
}

const CHANGES: readonly Change[] = [
  {
    name: 'remove',
    description: 'take a plugin out of the lock file; its own directory and storage stay',
    done: 'is not in the lock file any more',
    make: (book, id) => book.remove(id),
  },
  {
    name: 'enable',
    description: 'let a plugin of the lock file run again',
    done: 'is enabled',
    make: (book, id) => book.setDisabled(id, false),
  },
  {
    name: 'disable',
    description: 'keep a plugin of the lock file from running',
    done: 'is disabled',
    make: (book, id) => book.setDisabled(id, true),
  },
  {
    name: 'rollback',
    description: 'go back to what was accepted of a plugin before, which is kept',
    done: 'is what it was before; it runs so from the next load on',
    make: (book, id, by) => {
      book.rollback(id, by);
    },
  },
];

/** What changes an entry of a lock, and needs no look at the plugin. */
export function addLockChanges(program: Command, run: RunCommand): void {
  for (const change of CHANGES) {
    const command = program
      .command(change.name)
      .description(change.description)
      .argument('<id>', 'a plugin of the lock file');
    addLockOptions(command).action((id: string, settings: LockSettings) =>
      run((powers) => runChange(change, id, settings, powers)),
    );
  }
}

async function runChange(
  { name, done, make }: Change,
  text: string,
  settings: LockSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const book = openBook(settings, powers);
  const id = book.idOf(text);
  make(book, id, whoIs(powers));
  await powers.stdout.write(
    settings.json === true ? jsonLine({ ok: true, id, outcome: name }) : `${visible(id)} ${done}\n`,
  );
  return EXIT.ok;
}
