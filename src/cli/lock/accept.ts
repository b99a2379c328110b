import type { Command } from 'commander';
import { type Inspection, allowances, grantedAfter } from '../../engine/inspect-plugin.js';
import type { Lockfile } from '../../engine/lockfile.js';
import { BulkheadError } from '../../errors.js';
import { readPublicKeys } from '../../keys/key-file.js';
import type { PublicKey } from '../../keys/signing-key.js';
import { type Changes, isChanged, reasonsToReview } from '../../lock/changes.js';
import type { FileDiff } from '../../lock/source-diff.js';
import { jsonLine, visible, shellWord } from '../../visible.js';
import { requireYes } from '../approve.js';
import { collect } from '../arguments.js';
import type { RunCommand } from '../call.js';
import type { CliCapabilities } from '../capabilities.js';
import { ALLOW_HELP, ONLY_HELP } from '../permission-choice.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { makePaint, print } from '../output.js';
import { isPackageSpec } from '../../npm/spec.js';
import { formatNamed } from '../../formats/table.js';
import { askForProgram, fetchForAdd, parseHours } from './fetch.js';
import { formatChanges, formatDiffs, formatInspection } from './format.js';
import { type LockSettings, addLockOptions, openLock, operatorName } from './options.js';
import { reviewOf, reviewUpdate } from './review.js';

interface AddSettings extends LockSettings {
  readonly requireSignature?: readonly string[];
  readonly allow?: readonly string[];
  readonly only?: readonly string[];
  readonly trustHints?: boolean;
  readonly allowHost?: boolean;
  readonly yes?: boolean;
  readonly minAge?: number;
}

export function addAdd(program: Command, run: RunCommand): void {
  const command = program
    .command('add')
    .description('show a plugin, and accept its code and permissions into the lock file')
    .argument('<plugin-dir>', 'directory of the plugin, or npm:NAME@VERSION for an MCP server')
    .option('--min-age <HOURS>', 'age that a version of npm must have (default: 24)', parseHours)
    .option('--allow <PERMISSION>', ALLOW_HELP, collect)
    .option('--only <PERMISSION>', ONLY_HELP, collect)
    .option('--trust-hints', "let the author's hints lower the risk of the tools")
    .option('--allow-host', 'allow the plugin to run without a sandbox if it requests that')
    .option(
      '--require-signature <FILE>',
      'require a signature of one of the public keys in this file; repeatable',
      collect,
    )
    .option('--yes', 'accept without asking');
  addLockOptions(command).action((directory: string, settings: AddSettings) =>
    run((capabilities) => runAdd(directory, settings, capabilities)),
  );
}

async function runAdd(
  named: string,
  settings: AddSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const lock = openLock(settings, capabilities);
  const directory = isPackageSpec(named)
    ? await fetchForAdd(named, settings.minAge, capabilities)
    : named;
  const inspected = await lock.inspect(directory);
  const { id } = inspected.plugin;
  if (Object.hasOwn(lock.read().plugins, id)) {
    throw usageError(
      'plugin-dir',
      `${id} is already in ${lock.path}; run bulkhead update ${shellWord(id)}`,
    );
  }
  const signer = lock.verifySignature(inspected, requiredKeys(settings));
  const asked = formatNamed(inspected.plugin.format).arePrograms === true;
  const more = asked ? await askForProgram(directory, settings, capabilities) : [];
  const granted = allowances(inspected, {
    ...settings,
    allow: [...(settings.allow ?? []), ...more],
  });
  await capabilities.stderr.write(
    formatInspection(inspected, granted, signer, makePaint(capabilities.stderr.colour)),
  );
  if (inspected.unconfined && settings.allowHost !== true) throw hostModeDenied(inspected);
  const yes = { given: settings.yes ?? false, name: '--yes', subject: id };
  await requireYes(`Add ${visible(id)} to ${lock.path}?`, yes, capabilities);
  const locked = lock.accept(inspected, {
    granted,
    trustHints: settings.trustHints ?? false,
    unconfined: runsUnconfined(inspected, settings),
    by: operatorName(capabilities),
    ...(signer === undefined ? {} : { signer }),
  });
  await print(
    settings,
    capabilities,
    { ok: true, id, locked, inspected: reviewOf(inspected) },
    `added ${visible(id)} to ${visible(lock.path)}\n`,
  );
  return EXIT.ok;
}

/** The public keys of the files that the operator named; `undefined` if none was named. */
function requiredKeys({
  requireSignature,
}: {
  readonly requireSignature?: readonly string[];
}): readonly PublicKey[] | undefined {
  return requireSignature?.flatMap((file) => readPublicKeys(file));
}

/** Whether the operator accepts code without a compartment: of the plugin, or of some of its tools. */
function runsUnconfined(
  { unconfined, hostTools }: Inspection,
  { allowHost = false }: { readonly allowHost?: boolean },
): boolean {
  return unconfined || (allowHost && hostTools.length > 0);
}

export function hostModeDenied({ plugin }: Inspection): BulkheadError<'HOST_MODE_DENIED'> {
  return new BulkheadError(
    'HOST_MODE_DENIED',
    `${plugin.id} requests to run without a sandbox (sandbox: "host"), with all rights of your user. To allow this, add --allow-host.`,
    { plugin: plugin.id },
  );
}

interface UpdateSettings extends LockSettings {
  readonly accept?: boolean;
  readonly allow?: readonly string[];
  readonly allowHost?: boolean;
  readonly requireSignature?: readonly string[];
  readonly downgrade?: boolean;
  readonly code?: boolean;
}

export function addUpdate(program: Command, run: RunCommand): void {
  const command = program
    .command('update')
    .description('accept the current code of plugins; wider permissions require --accept')
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
    .option('--downgrade', 'also accept a lower version')
    .option('--code', 'show a unified diff of the source');
  addLockOptions(command).action((ids: string[], settings: UpdateSettings) =>
    run((capabilities) => runUpdate(ids, settings, capabilities)),
  );
}

async function runUpdate(
  ids: readonly string[],
  settings: UpdateSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const lock = openLock(settings, capabilities);
  const chosen = ids.length > 0 ? ids.map((id) => lock.idOf(id)) : Object.keys(lock.read().plugins);
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
  const review = await reviewUpdate(lock, id, requiredKeys(settings));
  const { inspected, signer, changes } = review;
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
  if (locked === undefined || (!isChanged(changes) && allow.length === 0 && !isNewHost)) {
    return outcome('unchanged');
  }
  const paint = makePaint(capabilities.stderr.colour);
  await capabilities.stderr.write(formatChanges(id, changes, paint));
  if (settings.code === true) await capabilities.stderr.write(formatDiffs(review.code(), paint));
  if (inspected.unconfined && locked.unconfined !== true && settings.allowHost !== true) {
    throw hostModeDenied(inspected);
  }
  if (reasonsToReview(changes).length > 0) {
    const accept = { given: settings.accept ?? false, name: '--accept', subject: id };
    await requireYes(`${visible(id)} requests more than before. Accept it?`, accept, capabilities);
  }
  lock.accept(inspected, {
    granted: grantedAfter(locked, inspected, changes, allow),
    trustHints: locked.trustHints ?? false,
    unconfined:
      runsUnconfined(inspected, settings) ||
      // Tools that were accepted without a compartment stay so.
      (locked.unconfined === true && inspected.hostTools.length > 0),
    by: operatorName(capabilities),
    ...(signer === undefined ? {} : { signer }),
    downgrade: settings.downgrade ?? false,
  });
  return outcome('updated');
}
