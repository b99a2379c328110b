import type { Command } from 'commander';
import type { Lockfile } from '../../engine/lockfile.js';
import { visible } from '../../visible.js';
import type { RunCommand } from '../call.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { print } from '../output.js';
import { type LockSettings, addLockOptions, openLock, operatorName } from './options.js';

interface Change {
  readonly name: string;
  readonly description: string;
  readonly done: string;
  readonly make: (lockfile: Lockfile, id: string, by: string) => void;
}

const CHANGES: readonly Change[] = [
  {
    name: 'enable',
    description: 'enable a plugin of the lock file',
    done: 'is enabled',
    make: (lockfile, id) => lockfile.setDisabled(id, false),
  },
  {
    name: 'disable',
    description: 'disable a plugin of the lock file',
    done: 'is disabled',
    make: (lockfile, id) => lockfile.setDisabled(id, true),
  },
  {
    name: 'rollback',
    description: 'return to the version of a plugin that was accepted before',
    done: 'is back at the version accepted before; the next load runs it',
    make: (lockfile, id, by) => {
      lockfile.rollback(id, by);
    },
  },
];

/** The commands that change an entry of a lock file without reading the plugin. */
export function addLockChanges(program: Command, run: RunCommand): void {
  addRemove(program, run);
  for (const change of CHANGES) {
    const command = program
      .command(change.name)
      .description(change.description)
      .argument('<id>', 'id of a plugin in the lock file');
    addLockOptions(command).action((id: string, settings: LockSettings) =>
      run((capabilities) => runChange(change, id, settings, capabilities)),
    );
  }
}

async function runChange(
  { name, done, make }: Change,
  text: string,
  settings: LockSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const lockfile = openLock(settings, capabilities);
  const id = lockfile.idOf(text);
  make(lockfile, id, operatorName(capabilities));
  await print(settings, capabilities, { ok: true, id, outcome: name }, `${visible(id)} ${done}\n`);
  return EXIT.ok;
}

interface RemoveSettings extends LockSettings {
  readonly storage?: boolean;
  readonly storageDirectory?: string;
}

function addRemove(program: Command, run: RunCommand): void {
  const command = program
    .command('remove')
    .description('remove a plugin from the lock file; its directory stays')
    .argument('<id>', 'id of a plugin in the lock file')
    .option('--storage', 'also delete the storage of the plugin; this cannot be undone')
    .option(
      '--storage-directory <DIR>',
      'directory of the storage (default: bulkhead/storage in your data directory)',
    );
  addLockOptions(command).action((id: string, settings: RemoveSettings) =>
    run((capabilities) => runRemove(id, settings, capabilities)),
  );
}

async function runRemove(
  text: string,
  settings: RemoveSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { json, storage = false, storageDirectory } = settings;
  const more = storageDirectory === undefined ? {} : { storageDirectory };
  const lockfile = openLock(settings, capabilities, more);
  const id = lockfile.idOf(text);
  lockfile.remove(id);
  // Only after the removal: before it, an engine could create the storage again.
  const removed = storage && (await lockfile.removeStorage(id));
  const storageText = storage
    ? removed
      ? ', and its storage is deleted'
      : '; it had no storage'
    : '; its storage stays (--storage deletes it)';
  await print(
    { json },
    capabilities,
    { ok: true, id, outcome: 'remove', storage: removed ? 'removed' : 'none-removed' },
    `${visible(id)} is removed from the lock file${storageText}\n`,
  );
  return EXIT.ok;
}
