import type { Command } from 'commander';
import { isChanged, type LockedPlugin, type LockState, reasonsToReview } from '../../index.js';
import type { RunCommand } from '../call.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { makePaint } from '../paint.js';
import type { CliPowers } from '../powers.js';
import { formatTable } from '../table.js';
import { jsonLine, visible } from '../visible.js';
import { addLockOptions, type LockSettings, openBook } from './options.js';
import { tellChanges } from './tell.js';

/** What looks at a lock and changes nothing. */
export function addLockLooks(program: Command, run: RunCommand): void {
  addLockOptions(
    program.command('list').description('show the plugins of the lock file, and how they stand'),
  ).action((settings: LockSettings) => run((powers) => runList(settings, powers)));
  addLockOptions(
    program
      .command('diff')
      .description('show what changed in a plugin since it was accepted')
      .argument('<id>', 'a plugin of the lock file'),
  ).action((id: string, settings: LockSettings) => run((powers) => runDiff(id, settings, powers)));
}

const HEADING = ['PLUGIN', 'VERSION', 'STATE', 'GRANTED', 'ACCEPTED', 'CODE'];

async function runList(settings: LockSettings, powers: CliPowers): Promise<ExitCode> {
  const book = openBook(settings, powers);
  const { plugins } = book.read();
  const states = await book.check();
  if (Object.keys(plugins).length === 0) {
    await powers.stderr.write(`no plugin is in ${visible(book.path)}\n`);
  }
  const rows = Object.entries(plugins).map(([id, plugin]) => row(id, plugin, states[id]));
  await powers.stdout.write(
    settings.json === true
      ? jsonLine({
          ok: true,
          plugins: Object.entries(plugins).map(([id, plugin]) => ({
            id,
            state: stateOf(plugin, states[id]),
            ...plugin,
          })),
        })
      : formatTable([HEADING, ...rows]),
  );
  return EXIT.ok;
}

function row(id: string, plugin: LockedPlugin, state: LockState | undefined): string[] {
  const kinds = Object.keys(plugin.granted).join(' ');
  return [
    id,
    plugin.version ?? '',
    stateOf(plugin, state),
    plugin.unconfined === true ? 'UNCONFINED' : kinds === '' ? 'nothing' : kinds,
    `${plugin.by} ${plugin.at.slice(0, 10)}`,
    plugin.kept.slice(0, 'sha256-'.length + 12),
  ].map(visible);
}

function stateOf(plugin: LockedPlugin, state: LockState | undefined): string {
  if (plugin.disabled === true) return 'disabled';
  return state === 'as-accepted' || state === undefined ? 'enabled' : `${state}, waits`;
}

async function runDiff(text: string, settings: LockSettings, powers: CliPowers): Promise<ExitCode> {
  const book = openBook(settings, powers);
  const id = book.idOf(text);
  const changes = book.changes(id, await book.examine(book.directoryOf(id)));
  const changed = isChanged(changes);
  const reasons = reasonsToReview(changes);
  if (settings.json === true) {
    await powers.stdout.write(jsonLine({ ok: true, id, changed, reasons, changes }));
  } else if (changed) {
    await powers.stdout.write(tellChanges(id, changes, makePaint(powers.stdout.colour)));
    const how = reasons.length > 0 ? ' --accept (it got wider)' : '';
    await powers.stderr.write(`\nto accept it: bulkhead update ${visible(id)}${how}\n`);
  } else {
    await powers.stdout.write(`${visible(id)} is as it was accepted\n`);
  }
  return EXIT.ok;
}
