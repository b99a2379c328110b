import type { Command } from 'commander';
import { grantedAfter, isChanged, type LockBook, reasonsToReview } from '../../index.js';
import { collect } from '../arguments.js';
import type { RunCommand } from '../call.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { makePaint } from '../paint.js';
import type { CliPowers } from '../powers.js';
import { jsonLine, visible } from '../visible.js';
import { hostModeDenied } from './add.js';
import { demandYes } from './decide.js';
import { addLockOptions, type LockSettings, openBook, whoIs } from './options.js';
import { tellChanges } from './tell.js';

interface UpdateSettings extends LockSettings {
  readonly accept?: boolean;
  readonly allow?: readonly string[];
  readonly allowHost?: boolean;
}

export function addUpdate(program: Command, run: RunCommand): void {
  const command = program
    .command('update')
    .description(
      'accept what lies in the directories of plugins; what got wider waits for --accept',
    )
    .argument('[id...]', 'plugins of the lock file (default: all of them)')
    .option('--accept', 'accept what got wider, too, as it is shown')
    .option('--allow <PERMISSION>', 'grant this as well, e.g. network:api.example.com', collect)
    .option('--allow-host', 'let it run unconfined, if it asks to');
  addLockOptions(command).action((ids: string[], settings: UpdateSettings) =>
    run((powers) => runUpdate(ids, settings, powers)),
  );
}

async function runUpdate(
  ids: readonly string[],
  settings: UpdateSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const book = openBook(settings, powers);
  const chosen = ids.length > 0 ? ids.map((id) => book.idOf(id)) : Object.keys(book.read().plugins);
  if (chosen.length === 0) await powers.stderr.write(`no plugin is in ${visible(book.path)}\n`);
  for (const id of chosen) await updateOne(book, id, settings, powers);
  return EXIT.ok;
}

async function updateOne(
  book: LockBook,
  id: string,
  settings: UpdateSettings,
  powers: CliPowers,
): Promise<void> {
  const examined = await book.examine(book.directoryOf(id));
  const changes = book.changes(id, examined);
  const allow = settings.allow ?? [];
  const locked = book.read().plugins[id];
  const say = (outcome: 'unchanged' | 'updated'): Promise<void> =>
    powers.stdout.write(
      settings.json === true
        ? jsonLine({ ok: true, id, outcome, changes })
        : `${visible(id)} ${outcome === 'updated' ? 'is updated' : 'is as it was accepted'}\n`,
    );
  if (locked === undefined || (!isChanged(changes) && allow.length === 0)) return say('unchanged');
  await powers.stderr.write(tellChanges(id, changes, makePaint(powers.stderr.colour)));
  if (examined.unconfined && locked.unconfined !== true && settings.allowHost !== true) {
    throw hostModeDenied(examined);
  }
  if (reasonsToReview(changes).length > 0) {
    const accept = { given: settings.accept ?? false, name: '--accept', subject: id };
    await demandYes(`${visible(id)} got wider. Accept it?`, accept, powers);
  }
  book.accept(examined, {
    granted: grantedAfter(locked, examined, changes, allow),
    trustHints: locked.trustHints ?? false,
    unconfined: examined.unconfined,
    by: whoIs(powers),
  });
  return say('updated');
}
