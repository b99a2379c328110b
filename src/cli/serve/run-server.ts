import type { Command } from 'commander';
import type { Lockfile } from '../../engine/lockfile.js';
import { PROGRAM_MEMORY_MB } from '../../engine/types/limits.js';
import type { EngineOptions, PluginSecrets } from '../../engine/types/options.js';
import { formatNamed } from '../../formats/table.js';
import { parsePackageSpec } from '../../npm/spec.js';
import { shellWord, visible } from '../../visible.js';
import {
  addApprovalOptions,
  approvalOptions,
  type ApprovalSettings,
  trustFileOf,
  trustOption,
} from '../engine-options.js';
import { reasonOf, usageError } from '../failure.js';
import type { RunCommand } from '../call.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { acceptPlugin } from '../lock/add.js';
import { fetchPackage } from '../lock/fetch.js';
import { openLock, userLockFile } from '../lock/options.js';
import { addMemoryOption, memoryLimit, type MemorySettings } from '../memory-option.js';
import { collectSecret } from '../secrets.js';
import { makeServerLog } from './log.js';

export function addRun(program: Command, run: RunCommand): void {
  const command = program
    .command('run')
    .description(
      'serve an accepted package to an MCP client on standard input and output: an MCP server under the names of its own tools, or another plugin',
    )
    .argument('<package>', 'npm:NAME, as you accepted it with bulkhead add --user')
    .argument('[argument...]', 'arguments of the program of an MCP server; write them after --');
  addMemoryOption(addApprovalOptions(command), 'server')
    .option(
      '--secret <KEY=HOST>',
      'hide the value of a variable from the server; insert it into the header or query of requests to this host; repeatable',
      collectSecret,
    )
    .action((named: string, args: readonly string[], settings: RunSettings) =>
      run((capabilities) => runServer(named, args, settings, capabilities), {
        endsWhenInterrupted: true,
      }),
    );
}

interface RunSettings extends ApprovalSettings, MemorySettings {
  readonly secret?: PluginSecrets;
}

/**
 * Serves until the client disconnects. A client starts this in any directory: only the user's lock file
 * counts. A server that it does not accept is not started.
 */
async function runServer(
  named: string,
  args: readonly string[],
  settings: RunSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { name, version } = parsePackageSpec(named);
  const logger = makeServerLog(capabilities.stderr, () => new Date());
  const common: EngineOptions = {
    plugins: [],
    env: capabilities.environment,
    logger,
    limits: { memoryMb: PROGRAM_MEMORY_MB, ...memoryLimit(settings) },
    ...approvalOptions(settings, capabilities),
  };
  await offerToAdd(named, name, settings, capabilities);
  const accepted = findAccepted(name, version, capabilities);
  if (accepted?.takesArguments === false && args.length > 0) {
    throw usageError('argument', `${name} is not a program, and takes no arguments`);
  }
  const line = `npx bulkhead add --user ${shellWord(named)}`;
  await using engine = await capabilities.createEngine(
    accepted === undefined
      ? { ...common, coreTools: [setupTool(name, line)] }
      : {
          ...common,
          plugins: [accepted.directory],
          lockFile: userLockFile(capabilities),
          lockedPlugins: [accepted.id],
          ...trustOption({}, capabilities),
          ...(accepted.takesArguments ? { config: { [accepted.id]: { args: [...args] } } } : {}),
          secrets: () => settings.secret ?? {},
        },
  );
  if (accepted === undefined) {
    await capabilities.stderr.write(
      `${visible(name)} is not accepted yet. To review and accept it, run: ${visible(line)}\n`,
    );
  }
  for (const { message } of engine.plugins().flatMap(({ problems }) => problems)) {
    logger.warn({ why: message }, name);
  }
  const { serveMcpStdio } = await import('../../adapters/mcp.js');
  const stdio = await serveMcpStdio(engine, {
    name: accepted === undefined ? 'bulkhead' : name,
    onError: ({ message }) => logger.info({ why: message }, 'mcp'),
  });
  capabilities.resumeInput?.();
  const reload = async (): Promise<void> => {
    // The engine itself reads whether it is disabled. An update has another directory.
    const now = findAccepted(name, version, capabilities) ?? accepted;
    await engine.reload({ plugins: now === undefined ? [] : [now.directory] });
  };
  const watched =
    accepted === undefined ? [] : [userLockFile(capabilities), trustFileOf({}, capabilities)];
  // guard: running-server-follows-lock
  const removeWatches = watched.flatMap((path) =>
    path === undefined ? [] : [capabilities.watchFile(path, () => void follow())],
  );
  const follow = (): Promise<void> =>
    reload().catch((error: unknown) => logger.warn({ why: reasonOf(error) }, name));
  const end = (): void => void stdio.close();
  capabilities.interrupted.addEventListener('abort', end, { once: true });
  if (capabilities.interrupted.aborted) end();
  await stdio.closed;
  for (const remove of removeWatches) remove();
  return EXIT.ok;
}

/**
 * On a terminal, a person can accept the server at once, as with `bulkhead add --user`. A client that starts
 * this command has no terminal. Rejects if the person declines.
 */
async function offerToAdd(
  named: string,
  name: string,
  { memory }: MemorySettings,
  capabilities: CliCapabilities,
): Promise<void> {
  const { ask, stderr } = capabilities;
  const lock = openLock({ user: true }, capabilities);
  if (ask === undefined || lockedId(lock, name, capabilities) !== undefined) return;
  await stderr.write(`${visible(name)} is not accepted yet.\n`);
  const directory = await fetchPackage(named, {}, capabilities);
  // Standard output belongs to the client.
  const settings = { user: true, json: true, ...(memory === undefined ? {} : { memory }) };
  await acceptPlugin(directory, settings, capabilities);
  await stderr.write(
    `added ${visible(name)} to ${visible(lock.path)}\n` +
      `serving it on standard input and output. To let a client start it, run: bulkhead mcp --install cursor\n`,
  );
}

/**
 * The id of an accepted package. The whole name counts: `npm:notes` is another package than an accepted
 * `@scope/notes`. The id of an MCP server is its package's name; other plugins have an id of their own.
 */
function lockedId(
  lock: Lockfile,
  name: string,
  { packages }: Pick<CliCapabilities, 'packages'>,
): string | undefined {
  const { plugins } = lock.read();
  const fetched = Object.keys(plugins).find((id) => {
    const directory = lock.directoryOf(id);
    return (packages.describe(directory) ?? packages.commitOf(directory))?.name === name;
  });
  if (fetched !== undefined || !Object.hasOwn(plugins, name)) return fetched;
  // A directory with a server. The id of another plugin is not the name of a package.
  const { format } = plugins[name] ?? {};
  return format !== undefined && formatNamed(format).arePrograms === true ? name : undefined;
}

/** A plugin of the user's lock file. */
interface Accepted {
  readonly id: string;
  readonly directory: string;
  readonly takesArguments: boolean;
}

/**
 * The accepted plugin of a package; `undefined` if the user's lock file does not have it, or has another
 * version than the one that is named.
 */
function findAccepted(
  name: string,
  version: string,
  capabilities: CliCapabilities,
): Accepted | undefined {
  const lock = openLock({ user: true }, capabilities);
  const id = lockedId(lock, name, capabilities);
  const locked = id === undefined ? undefined : lock.read().plugins[id];
  if (id === undefined || locked === undefined || locked.disabled === true) return undefined;
  if (version !== 'latest' && locked.version !== version) return undefined;
  const takesArguments = formatNamed(locked.format).arePrograms === true;
  return { id, directory: lock.directoryOf(id), takesArguments };
}

/** The only tool of a server that is not accepted: it says what the person has to do. */
function setupTool(name: string, line: string): NonNullable<EngineOptions['coreTools']>[number] {
  return {
    name: 'bulkhead_setup',
    description: `Says how to accept the package ${visible(name)}, which Bulkhead has not started yet.`,
    risk: 'low',
    execute: () =>
      `The package ${visible(name)} was not started, because its user has not accepted it. ` +
      `Ask the user to run this line in a terminal, and to reconnect: ${visible(line)}`,
  };
}
