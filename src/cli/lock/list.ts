import type { Command } from 'commander';
import type { LockState } from '../../engine/lockfile.js';
import { isChanged, reasonsToReview } from '../../lock/changes.js';
import type { LockedPlugin } from '../../lock/lock.js';
import { jsonLine, visible, shellWord } from '../../visible.js';
import type { RunCommand } from '../call.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { formatTable, makePaint, print } from '../output.js';
import { formatChanges, formatDiffs } from './format.js';
import { type LockSettings, addLockOptions, openLock } from './options.js';
import { reviewUpdate } from './review.js';

/** The commands that read a lock file. */
export function addListAndDiff(program: Command, run: RunCommand): void {
  addLockOptions(
    program.command('list').description('list the plugins of the lock file with their state'),
  ).action((settings: LockSettings) => run((capabilities) => runList(settings, capabilities)));
  addLockOptions(
    program
      .command('diff')
      .description('show what changed in a plugin since it was accepted')
      .argument('<id>', 'id of a plugin in the lock file')
      .option('--code', 'also show a unified diff of the source'),
  ).action((id: string, settings: DiffSettings) =>
    run((capabilities) => runDiff(id, settings, capabilities)),
  );
}

const HEADING = ['PLUGIN', 'VERSION', 'STATE', 'GRANTED', 'ACCEPTED', 'ARTIFACT'];

async function runList(settings: LockSettings, capabilities: CliCapabilities): Promise<ExitCode> {
  const lockfile = openLock(settings, capabilities);
  const { plugins } = lockfile.read();
  const states = await lockfile.check();
  if (Object.keys(plugins).length === 0) {
    await capabilities.stderr.write(`${visible(lockfile.path)} contains no plugin\n`);
  }
  const rows = Object.entries(plugins).map(([id, plugin]) => row(id, plugin, states[id]));
  await print(
    settings,
    capabilities,
    {
      ok: true,
      plugins: Object.entries(plugins).map(([id, plugin]) => ({
        id,
        state: stateOf(plugin, states[id]),
        ...plugin,
      })),
    },
    formatTable([HEADING, ...rows]),
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
    plugin.artifact.slice(0, 'sha512-'.length + 12),
  ].map(visible);
}

function stateOf(plugin: LockedPlugin, state: LockState | undefined): string {
  if (plugin.disabled === true) return 'disabled';
  return state === 'as-accepted' || state === undefined ? 'enabled' : `${state}, update pending`;
}

interface DiffSettings extends LockSettings {
  readonly code?: boolean;
}

async function runDiff(
  text: string,
  settings: DiffSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const lockfile = openLock(settings, capabilities);
  const id = lockfile.idOf(text);
  const review = await reviewUpdate(lockfile, id, capabilities);
  const { changes } = review;
  const changed = isChanged(changes);
  const reasons = reasonsToReview(changes);
  const paint = makePaint(capabilities.stdout.colour);
  if (settings.json === true) {
    const code = settings.code === true ? { code: review.code() } : {};
    await capabilities.stdout.write(jsonLine({ ok: true, id, changed, reasons, changes, ...code }));
  } else if (changed) {
    await capabilities.stdout.write(formatChanges(id, changes, paint));
    if (settings.code === true) {
      await capabilities.stdout.write(formatDiffs(review.code(), paint));
    }
    const how = reasons.length > 0 ? ' --accept (it requests more than before)' : '';
    await capabilities.stderr.write(`\nto accept it: bulkhead update ${shellWord(id)}${how}\n`);
  } else {
    await capabilities.stdout.write(`${visible(id)} is unchanged since it was accepted\n`);
  }
  return EXIT.ok;
}
