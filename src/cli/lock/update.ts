import type { Command } from 'commander';
import type { Lockfile } from '../../engine/lockfile.js';
import { type Changes, isChanged, reasonsToReview } from '../../lock/changes.js';
import type { FileDiff } from '../../lock/source-diff.js';
import { jsonLine, visible } from '../../visible.js';
import { requireYes } from '../approve.js';
import { collect } from '../arguments.js';
import type { RunCommand } from '../call.js';
import { addMemoryOption } from '../memory-option.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { makePaint } from '../output.js';
import { acceptUpdate, packagesAfter, requireHostMode } from './accept-update.js';
import { requiredKeys } from './consent.js';
import {
  ACCEPT_VERSION_HELP,
  fetchCommit,
  fetchPackage,
  type FetchSettings,
  parseHours,
} from './fetch.js';
import { formatChanges, formatDiffs } from './format.js';
import {
  type LockSettings,
  addLockOptions,
  openLock,
  operatorName,
  requireLockFile,
} from './options.js';
import {
  addLockPackageOptions,
  formatPackages,
  type LockPackageSettings,
  lockPackagesOption,
} from './packages.js';
import { reviewUpdate } from './review.js';

interface UpdateSettings extends LockSettings, FetchSettings, LockPackageSettings {
  readonly accept?: boolean;
  readonly allow?: readonly string[];
  readonly allowHost?: boolean;
  readonly requireSignature?: readonly string[];
  readonly downgrade?: boolean;
  readonly code?: boolean;
  readonly commit?: string;
}

export function addUpdate(program: Command, run: RunCommand): void {
  const command = program
    .command('update')
    .description(
      'accept the current code of plugins, and of packages of npm the newest version; wider permissions require --accept',
    )
    .argument('[id...]', 'ids of plugins in the lock file (default: all)')
    .option('--accept', 'also accept wider permissions')
    .option(
      '--allow <PERMISSION>',
      'grant this permission too, e.g. network:api.example.com; repeatable',
      collect,
    )
    .option('--allow-host', 'allow the plugin to run without a sandbox if it requests that')
    .option(
      '--require-signature <FILE>',
      'require a signature of one of the public keys in this file; repeatable',
      collect,
    )
    .option('--min-age <HOURS>', 'age that a version of npm must have (default: 24)', parseHours)
    .option('--accept-version <VERSION>', ACCEPT_VERSION_HELP)
    .option(
      '--commit <ID>',
      'for a plugin of a git repository: the whole id of the commit to accept',
    )
    .option('--downgrade', 'also accept a lower version')
    .option('--code', 'show a unified diff of the source');
  addLockOptions(addLockPackageOptions(addMemoryOption(command, 'any'))).action(
    (ids: string[], settings: UpdateSettings) =>
      run((capabilities) => runUpdate(ids, settings, capabilities)),
  );
}

async function runUpdate(
  ids: readonly string[],
  settings: UpdateSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const named = openLock(settings, capabilities);
  const { plugins } = named.read();
  if (ids.length === 0 && Object.keys(plugins).length === 0)
    await requireLockFile(named, capabilities);
  if (settings.commit !== undefined && ids.length !== 1) {
    throw usageError('--commit', 'name the one plugin whose commit this is');
  }
  const chosen = ids.length > 0 ? ids.map((id) => named.idOf(id)) : Object.keys(plugins);
  const accepted = Object.fromEntries(chosen.map((id) => [id, plugins[id]?.packages]));
  const lock = openLock(settings, capabilities, lockPackagesOption(settings, accepted));
  const updates: Update[] = [];
  for (const id of chosen) updates.push(await updateOne(lock, id, settings, capabilities));
  if (settings.json === true) {
    // One plugin by its id gives one object; otherwise there is a list, which may be empty.
    const [only] = updates;
    const one = ids.length === 1 && only !== undefined;
    await capabilities.stdout.write(jsonLine({ ok: true, ...(one ? only : { updates }) }));
  } else if (chosen.length === 0) {
    await capabilities.stderr.write(`${visible(lock.path)} contains no plugin\n`);
  }
  return EXIT.ok;
}

/** Where the current code of a plugin is. The newest version of a package of npm, or a named commit, is fetched. */
async function currentDirectory(
  accepted: string,
  settings: UpdateSettings,
  capabilities: CliCapabilities,
): Promise<string> {
  const { commit } = settings;
  const repository = capabilities.packages.commitOf(accepted);
  if (commit !== undefined) {
    if (repository === undefined) {
      throw usageError('--commit', 'the plugin does not come from a git repository');
    }
    return fetchCommit(`git:${repository.url}#${commit}`, capabilities, repository.name);
  }
  if (repository !== undefined) {
    // A branch or a tag is never followed.
    await capabilities.stderr.write(
      `${visible(repository.name)} is the commit ${repository.commit} of ${visible(repository.url)}; to accept another one, add --commit <ID>\n`,
    );
    return accepted;
  }
  const origin = capabilities.packages.describe(accepted);
  if (origin === undefined) return accepted;
  return fetchPackage(`npm:${origin.name}`, settings, capabilities, origin);
}

interface Update {
  readonly id: string;
  readonly outcome: 'unchanged' | 'updated';
  readonly changes: Changes;
  readonly code?: readonly FileDiff[];
}

async function updateOne(
  lock: Lockfile,
  id: string,
  settings: UpdateSettings,
  capabilities: CliCapabilities,
): Promise<Update> {
  const directory = await currentDirectory(lock.directoryOf(id), settings, capabilities);
  const keys = requiredKeys(settings);
  const review = await reviewUpdate(lock, id, capabilities, { keys, directory });
  const { inspected, changes } = review;
  const allow = settings.allow ?? [];
  const locked = lock.read().plugins[id];
  const outcome = async (text: Update['outcome']): Promise<Update> => {
    if (settings.json !== true) {
      const says = text === 'updated' ? 'is updated' : 'is unchanged since it was accepted';
      await capabilities.stdout.write(`${visible(id)} ${says}\n`);
    }
    const code = settings.code === true ? { code: review.code() } : {};
    return { id, outcome: text, changes, ...code };
  };
  const asksHost = settings.allowHost === true && inspected.hostTools.length > 0;
  const isNewHost = asksHost && locked?.unconfined !== true;
  const isNewPolicy = [settings.allowPackage, settings.denyPackage].some(
    (one) => one !== undefined,
  );
  const isNew = isNewHost || isNewPolicy || allow.length > 0;
  if (locked === undefined || (!isChanged(changes) && !isNew)) {
    return outcome('unchanged');
  }
  const paint = makePaint(capabilities.stderr.colour);
  await capabilities.stderr.write(formatChanges(id, changes, paint));
  if (settings.code === true) await capabilities.stderr.write(formatDiffs(review.code(), paint));
  requireHostMode(locked, review, settings);
  if (reasonsToReview(changes).length > 0) {
    const accept = { given: settings.accept ?? false, name: '--accept', subject: id };
    await requireYes(`${visible(id)} requests more than before. Accept it?`, accept, capabilities);
  }
  const packages = packagesAfter(locked, review, settings);
  if (locked.packages === undefined && inspected.packages !== undefined && packages !== undefined) {
    const lines = formatPackages(inspected.packages, packages);
    await capabilities.stderr.write(lines.map((line) => `  - ${visible(line)}\n`).join(''));
  }
  acceptUpdate(lock, locked, review, settings, operatorName(capabilities));
  return outcome('updated');
}
