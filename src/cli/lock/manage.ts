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
  addRemove(program, run);
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

interface RemoveSettings extends LockSettings {
  readonly storage?: boolean;
  readonly storageDirectory?: string;
}

function addRemove(program: Command, run: RunCommand): void {
  const command = program
    .command('remove')
    .description('take a plugin out of the lock file; its own directory stays')
    .argument('<id>', 'a plugin of the lock file')
    .option('--storage', 'remove what the host keeps for it as well; there is no way back')
    .option(
      '--storage-directory <DIR>',
      'where that is kept (default: bulkhead/storage in your data directory)',
    );
  addLockOptions(command).action((id: string, settings: RemoveSettings) =>
    run((powers) => runRemove(id, settings, powers)),
  );
}

async function runRemove(
  text: string,
  settings: RemoveSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const { json, storage = false, storageDirectory } = settings;
  const more = storageDirectory === undefined ? {} : { storageDirectory };
  const book = openBook(settings, powers, more);
  const id = book.idOf(text);
  book.remove(id);
  // Only now: while it is in the lock, an engine may give it the storage anew.
  const removed = storage && (await book.removeStorage(id));
  const kept = storage
    ? removed
      ? ', and its storage is removed'
      : '; it had no storage'
    : '; its storage stays (--storage removes it, too)';
  await powers.stdout.write(
    json === true
      ? jsonLine({ ok: true, id, outcome: 'remove', storage: removed ? 'removed' : 'none-removed' })
      : `${visible(id)} is not in the lock file any more${kept}\n`,
  );
  return EXIT.ok;
}
