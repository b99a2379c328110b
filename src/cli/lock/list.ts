import type { Command } from 'commander';
import type { LockState } from '../../engine/lockfile.js';
import type { ConfigFile } from '../../http/config.js';
import { isChanged, reasonsToReview } from '../../lock/changes.js';
import type { LockedPlugin } from '../../lock/lock.js';
import { jsonLine, visible, shellWord } from '../../visible.js';
import type { RunCommand } from '../call.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { formatTable, makePaint, print } from '../output.js';
import { describeCommands } from '../doctor/remotes.js';
import { readConfigFile } from '../serve/config-file.js';
import { formatChanges, formatDiffs } from './format.js';
import { type LockSettings, addLockOptions, openLock } from './options.js';
import { reviewUpdate } from './review.js';

/** The commands that read a lock file. */
export function addListAndDiff(program: Command, run: RunCommand): void {
  addLockOptions(
    program.command('list').description('list the plugins of the lock file with their state'),
  )
    .option(
      '--config <FILE>',
      'configuration of the server, which says what shares a guest and what servers it starts (default: bulkhead.config.json, if it exists)',
    )
    .action((settings: ListSettings) => run((capabilities) => runList(settings, capabilities)));
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

const HEADING = ['PLUGIN', 'VERSION', 'STATE', 'GRANTED', 'ISOLATION', 'ACCEPTED', 'ARTIFACT'];

interface ListSettings extends LockSettings {
  readonly config?: string;
}

async function runList(settings: ListSettings, capabilities: CliCapabilities): Promise<ExitCode> {
  const lockfile = openLock(settings, capabilities);
  const { plugins } = lockfile.read();
  const config = await readConfigFile(settings, capabilities);
  const states = await lockfile.check();
  if (Object.keys(plugins).length === 0) {
    await capabilities.stderr.write(`${visible(lockfile.path)} contains no plugin\n`);
  }
  const rows = Object.entries(plugins).map(([id, plugin]) =>
    row(id, plugin, states[id], sharingOf(id, config)),
  );
  const remotes = await describeCommands(config);
  await print(
    settings,
    capabilities,
    {
      ok: true,
      plugins: Object.entries(plugins).map(([id, plugin]) => ({
        id,
        state: stateOf(plugin, states[id]),
        ...sharingOf(id, config),
        ...plugin,
      })),
      remotes,
    },
    `${formatTable([HEADING, ...rows])}${remotes.map((line) => `${visible(line)}\n`).join('')}`,
  );
  return EXIT.ok;
}

interface Sharing {
  readonly isolation: 'plugin' | 'tenant' | 'call';
  readonly trustGroup?: string;
}

/** What shares a guest with the plugin, by the configuration. */
function sharingOf(id: string, { isolation, trustGroups }: ConfigFile): Sharing {
  const [group] =
    Object.entries(trustGroups ?? {}).find(([, members]) => members.includes(id)) ?? [];
  return {
    isolation: isolation?.[id] ?? 'plugin',
    ...(group === undefined ? {} : { trustGroup: group }),
  };
}

function row(
  id: string,
  plugin: LockedPlugin,
  state: LockState | undefined,
  { isolation, trustGroup }: Sharing,
): string[] {
  const kinds = Object.keys(plugin.granted).join(' ');
  return [
    id,
    plugin.version ?? '',
    stateOf(plugin, state),
    plugin.unconfined === true ? 'UNCONFINED' : kinds === '' ? 'nothing' : kinds,
    trustGroup === undefined ? isolation : `group ${trustGroup}`,
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
