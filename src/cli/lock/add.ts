import type { Command } from 'commander';
import { allowances, BulkheadError, type Examined } from '../../index.js';
import { collect } from '../arguments.js';
import type { RunCommand } from '../call.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { makePaint } from '../paint.js';
import type { CliPowers } from '../powers.js';
import { jsonLine, visible } from '../visible.js';
import { demandYes } from './decide.js';
import { addLockOptions, type LockSettings, openBook, whoIs } from './options.js';
import { tellExamined } from './tell.js';

interface AddSettings extends LockSettings {
  readonly allow?: readonly string[];
  readonly trustHints?: boolean;
  readonly allowHost?: boolean;
  readonly yes?: boolean;
}

export function addAdd(program: Command, run: RunCommand): void {
  const command = program
    .command('add')
    .description(
      'look at a plugin, and accept it: its code and permissions are written into the lock file',
    )
    .argument('<plugin-dir>', 'directory of the plugin')
    .option(
      '--allow <PERMISSION>',
      'grant this and no more, e.g. network:api.example.com, fs, env:KEY (default: what it declares)',
      collect,
    )
    .option('--trust-hints', 'let what its author says lower the risk of its tools')
    .option('--allow-host', 'let it run unconfined, if it asks to')
    .option('--yes', 'accept what is shown without being asked');
  addLockOptions(command).action((directory: string, settings: AddSettings) =>
    run((powers) => runAdd(directory, settings, powers)),
  );
}

async function runAdd(
  directory: string,
  settings: AddSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const book = openBook(settings, powers);
  const examined = await book.examine(directory);
  const { id } = examined.plugin;
  if (Object.hasOwn(book.read().plugins, id)) {
    throw usageError('plugin-dir', `${id} is in ${book.path} already: bulkhead update ${id}`);
  }
  const granted = allowances(examined, settings.allow ?? []);
  await powers.stderr.write(tellExamined(examined, granted, makePaint(powers.stderr.colour)));
  if (examined.unconfined && settings.allowHost !== true) throw hostModeDenied(examined);
  const yes = { given: settings.yes ?? false, name: '--yes', subject: id };
  await demandYes(`Add ${visible(id)} to ${book.path}?`, yes, powers);
  const locked = book.accept(examined, {
    granted,
    trustHints: settings.trustHints ?? false,
    unconfined: examined.unconfined,
    by: whoIs(powers),
  });
  await powers.stdout.write(
    settings.json === true
      ? jsonLine({ ok: true, id, locked })
      : `added ${visible(id)} to ${visible(book.path)}\n`,
  );
  return EXIT.ok;
}

export function hostModeDenied({ plugin }: Examined): BulkheadError<'HOST_MODE_DENIED'> {
  return new BulkheadError(
    'HOST_MODE_DENIED',
    `${plugin.id} asks to run unconfined (sandbox: "host"): it could do whatever your user can. To accept that, write --allow-host.`,
    { plugin: plugin.id },
  );
}
