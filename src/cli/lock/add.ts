import { unionOf } from '../../permissions/permissions.js';
import type { Command } from 'commander';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { allowances } from '../../engine/allowances.js';
import type { Lockfile } from '../../engine/lockfile.js';
import { formatNamed } from '../../formats/table.js';
import type { LockedPlugin } from '../../lock/lock.js';
import { isGitSpec, isPackageSpec } from '../../npm/spec.js';
import { variablesOfProgram } from '../../suggest/program-needs.js';
import { jsonLine, shellWord, visible } from '../../visible.js';
import { requireYes } from '../approve.js';
import { collect } from '../arguments.js';
import type { RunCommand } from '../call.js';
import { addMemoryOption } from '../memory-option.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-codes.js';
import { failureLine, failureOf, reasonOf, usageError } from '../failure.js';
import { makePaint } from '../output.js';
import { addPermissionOptions } from '../permission-choice.js';
import { errorBlock } from '../report-failure.js';
import { hostModeDenied, requiredKeys, runsUnconfined } from './consent.js';
import {
  ACCEPT_VERSION_HELP,
  askForProgram,
  fetchCommit,
  fetchPackage,
  type FetchSettings,
  isFetched,
  parseHours,
} from './fetch.js';
import { fetchAhead } from './fetch-ahead.js';
import type { Inspection } from '../../engine/inspect-plugin.js';
import { formatInspection } from './format.js';
import { type LockSettings, addLockOptions, openLock, operatorName } from './options.js';
import {
  addLockPackageOptions,
  decidePackages,
  type LockPackageSettings,
  lockPackagesOption,
  readWants,
} from './packages.js';
import { reviewOf } from './review.js';
import { saveProgram, type SaveProgramSettings } from './save-program.js';

/** How a plugin is accepted. */
export interface AddSettings
  extends LockSettings, FetchSettings, LockPackageSettings, SaveProgramSettings {
  readonly requireSignature?: readonly string[];
  readonly allow?: readonly string[];
  readonly only?: readonly string[];
  readonly trustHints?: boolean;
  readonly allowHost?: boolean;
  readonly yes?: boolean;
  /** Accept a program although its own code starts processes or opens sockets. Default: refuse it. */
  readonly partial?: boolean;
}

export function addAdd(program: Command, run: RunCommand): void {
  const command = program
    .command('add')
    .description('show plugins, and accept their code and permissions into the lock file')
    .argument(
      '<plugin...>',
      'directories of plugins, or npm:NAME@VERSION or git:URL#COMMIT; each is accepted by itself',
    )
    .option('--min-age <HOURS>', 'age that a version of npm must have (default: 24)', parseHours)
    .option('--accept-version <VERSION>', ACCEPT_VERSION_HELP)
    .option(
      '--partial',
      'accept an MCP server although its own code starts processes or opens sockets; what needs them fails',
    )
    .option(
      '--program <ID>',
      'write the finished program of that id into the directory first; its tool takes the input that the program had',
    )
    .option('--description <TEXT>', 'what the tool of --program does, for models')
    .option(
      '--input-schema <FILE>',
      'JSON Schema of the input of --program (default: from its input)',
    )
    .option('--storage-directory <DIR>', "directory of the engine's data that has --program")
    .option('--key-file <FILE>', "the engine's enclaveKeyFile that authenticates --program")
    .option('--trust-hints', "let the author's hints lower the risk of the tools")
    .option('--allow-host', 'allow the plugin to run without a sandbox if it requests that')
    .option(
      '--require-signature <FILE>',
      'require a signature of one of the public keys in this file; repeatable',
      collect,
    )
    .option('--yes', 'accept without asking');
  const withMemory = addMemoryOption(command, 'any');
  addLockOptions(addLockPackageOptions(addPermissionOptions(withMemory))).action(
    (named: string[], settings: AddSettings) =>
      run((capabilities) => runAdd(named, settings, capabilities)),
  );
}

/** Adds each plugin by itself: one that is refused does not stop the others. */
async function runAdd(
  patterns: readonly string[],
  settings: AddSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { program } = settings;
  if (program !== undefined) await saveProgram(program, patterns, settings, capabilities);
  const named = await expandAll(patterns, capabilities);
  const [only, ...more] = named;
  const json = settings.json === true;
  if (only !== undefined && more.length === 0) {
    const added = await acceptPlugin(
      await placeOf(only, settings, capabilities),
      settings,
      capabilities,
    );
    if (json) await capabilities.stdout.write(jsonLine({ ok: true, ...shown(added) }));
    return EXIT.ok;
  }
  let exitCode: ExitCode = EXIT.ok;
  const results: object[] = [];
  const ahead = await fetchAhead(named, capabilities);
  for (const [index, one] of named.entries()) {
    await capabilities.stderr.write(`[${index + 1}/${named.length}] ${visible(one)}\n`);
    const startedMs = capabilities.now();
    try {
      const directory = await placeOf(one, settings, ahead);
      const added = await acceptPlugin(directory, settings, capabilities);
      results.push({ ok: true, ...shown(added) });
    } catch (error) {
      const failure = failureOf(error);
      if (exitCode === EXIT.ok) exitCode = exitCodeOf(failure.code);
      results.push({
        named: one,
        ...failureLine(failure, Math.round(capabilities.now() - startedMs)),
      });
      await capabilities.stderr.write(await errorBlock(failure, one, capabilities));
      if (capabilities.interrupted.aborted) break;
    }
  }
  if (json) await capabilities.stdout.write(jsonLine({ ok: exitCode === EXIT.ok, added: results }));
  return exitCode;
}

/** `vendor/*` names every directory in `vendor`. A shell may have expanded it already. */
async function expandAll(
  patterns: readonly string[],
  { listDirectory }: Pick<CliCapabilities, 'listDirectory'>,
): Promise<readonly string[]> {
  const found = patterns.map(async (pattern) => {
    if (!pattern.endsWith('/*')) return [pattern];
    const parent = pattern.slice(0, -2);
    const names = await listDirectory(parent).catch((error: unknown) => {
      throw usageError('plugin', `${visible(parent)} cannot be read: ${reasonOf(error)}`);
    });
    const paths = names.filter((name) => !name.startsWith('.')).map((name) => `${parent}/${name}`);
    const isDirectory = await Promise.all(
      paths.map((path) =>
        listDirectory(path).then(
          () => true,
          () => false,
        ),
      ),
    );
    return paths.filter((_path, index) => isDirectory[index]).toSorted();
  });
  const all = (await Promise.all(found)).flat();
  if (all.length > 0) return all;
  throw usageError('plugin', `there is no directory in ${patterns.map(visible).join(', ')}`);
}

/** The directory of what the operator named; a package of npm and a commit are fetched. */
async function placeOf(
  named: string,
  settings: AddSettings,
  capabilities: CliCapabilities,
): Promise<string> {
  if (isGitSpec(named)) return fetchCommit(named, capabilities);
  return isPackageSpec(named) ? fetchPackage(named, settings, capabilities) : named;
}

/** What `--json` shows: `inspected` has the problems too. */
function shown({ id, locked, inspected }: Added): object {
  return { id, locked, inspected };
}

/** A plugin that was accepted. */
interface Added {
  readonly id: string;
  readonly locked: LockedPlugin;
  readonly inspected: object;
  /** What went wrong while its code was read. */
  readonly problems: readonly string[];
}

/**
 * Shows the plugin of a directory, and accepts it into the lock file. `config`: the plugin's configuration
 * while it is read. Rejects if it is not accepted.
 */
export async function acceptPlugin(
  directory: string,
  given: AddSettings,
  capabilities: CliCapabilities,
  config?: JsonObject,
): Promise<Added> {
  // Otherwise the publisher of one of its dependencies could use all that the server may do.
  const settings = isFetched(directory, capabilities)
    ? { packages: 'separate' as const, ...given }
    : given;
  const lock = openLock(settings, capabilities, lockPackagesOption(settings));
  const setting = config === undefined ? {} : { config };
  const first = await lock.inspect(directory, setting);
  const { id, format } = first.plugin;
  refuseLocked(lock, id);
  const suggestion =
    formatNamed(format).arePrograms === true
      ? await capabilities.suggestPermissions(directory)
      : undefined;
  const declared = unionOf(first.plugin.entries.map((entry) => entry.declared));
  const more =
    suggestion === undefined
      ? []
      : await askForProgram(suggestion, declared, settings, capabilities);
  const named = [...(settings.allow ?? []), ...more].flatMap(
    (text) => /^env:(\w+)$/.exec(text)?.[1] ?? [],
  );
  const read = suggestion === undefined ? [] : variablesOfProgram(suggestion);
  const inspected = await inspectWith({ named, read }, first, (variables) =>
    lock.inspect(directory, { ...setting, variables }),
  );
  const signer = lock.verifySignature(inspected, requiredKeys(settings));
  const granted = allowances(inspected, {
    ...settings,
    allow: [...(settings.allow ?? []), ...more],
  });
  const wants = await readWants(inspected, capabilities);
  const packages = decidePackages(inspected, settings, { granted, wants });
  await capabilities.stderr.write(
    formatInspection(inspected, granted, signer, packages, makePaint(capabilities.stderr.colour)),
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
    ...(packages === undefined ? {} : { packages }),
  });
  if (settings.json !== true) {
    await capabilities.stdout.write(`added ${visible(id)} to ${visible(lock.path)}\n`);
  }
  return {
    id,
    locked,
    inspected: reviewOf(inspected, packages),
    problems: inspected.faults.map(({ message }) => message),
  };
}

/**
 * Many servers start only if their variables have values: first those that the operator allows, then also those that
 * look like credentials, since a placeholder is no valid port or level, then all that the code reads. If nothing
 * helps, the fault without placeholders is the true one: a server that lists nothing with placeholders has checked
 * them.
 */
async function inspectWith(
  { named, read }: { readonly named: readonly string[]; readonly read: readonly string[] },
  first: Inspection,
  inspect: (variables: readonly string[]) => Promise<Inspection>,
): Promise<Inspection> {
  const all = [...new Set([...named, ...read])];
  const likely = all.filter((name) => named.includes(name) || isCredentialName(name));
  // Each has all names of those before it.
  const tries = [named, likely, all].filter(
    (one, at, before) => one.length > (before[at - 1]?.length ?? 0),
  );
  let best = first;
  for (const some of tries) {
    if (first.faults.length === 0 || listsTools(first)) return first;
    const inspected = await inspect(some);
    if (listsTools(inspected)) return inspected;
    // The operator's own variables are no placeholders.
    if (inspected.faults.length === 0 && named.length > 0) best = inspected;
  }
  return best;
}

function listsTools({ tools }: Inspection): boolean {
  return Object.keys(tools).length > 0;
}

const CREDENTIAL =
  /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASS|PAT|CREDENTIALS?|AUTH|ID|USER|USERNAME)(?:_|$)/i;

function isCredentialName(name: string): boolean {
  return CREDENTIAL.test(name);
}

function refuseLocked(lock: Lockfile, id: string): void {
  if (!Object.hasOwn(lock.read().plugins, id)) return;
  throw usageError(
    'plugin-dir',
    `${id} is already in ${lock.path}; run bulkhead update ${shellWord(id)}`,
  );
}
