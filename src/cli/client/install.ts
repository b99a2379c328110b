import { isRecord } from '../../../sandbox/wire/json.js';
import { resolve } from 'node:path';
import { visible } from '../../visible.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { reasonOf, usageError } from '../failure.js';
import { openLock } from '../lock/options.js';
import { print } from '../output.js';
import { type Client, clientNamed } from './clients.js';
import { type ServerEntry, serversIn, withEntries } from './client-file.js';

export interface InstallSettings {
  readonly code?: boolean;
  readonly install?: string;
  readonly uninstall?: string;
  readonly accept?: boolean;
  readonly config?: string;
  readonly plugins?: readonly string[];
}

/**
 * Writes into a client's file how it starts Bulkhead, or removes that. Starts nothing. With plugins or a
 * configuration: one entry that serves them. Else: one entry for each server of the user's lock file.
 */
export async function changeClient(
  directories: readonly string[],
  settings: InstallSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  if (settings.install !== undefined && settings.uninstall !== undefined) {
    throw usageError('--uninstall', '--install and --uninstall exclude each other');
  }
  if (settings.install === undefined && settings.uninstall === undefined) {
    throw usageError('--accept', '--accept belongs to --install or --uninstall');
  }
  checkCarried(settings);
  const isInstall = settings.install !== undefined;
  const [option, name] = isInstall
    ? (['--install', settings.install] as const)
    : (['--uninstall', settings.uninstall ?? ''] as const);
  const client = clientNamed(option, name, capabilities);
  const file = await capabilities.realPath(client.file);
  const before = await readIfThere(file, capabilities);
  const there = serversIn(before, client);
  if (isInstall) await checkServed(directories, settings, capabilities);
  const entries = isInstall
    ? toAdd(directories, settings, client, there, capabilities)
    : toRemove(there, capabilities);
  const after = withEntries(before, client, entries);
  const names = Object.keys(entries);
  if (after === before || names.length === 0) {
    await print({}, capabilities, {}, `${client.title} needs no change: ${visible(file)}\n`);
    return EXIT.ok;
  }
  await capabilities.stdout.write(diffOf(client, file, entries, there));
  if (!(await isAccepted(settings, capabilities))) {
    await capabilities.stdout.write('Nothing was changed. Add --accept to write it.\n');
    return EXIT.findings;
  }
  const backup = `${file}.before-bulkhead`;
  if (before !== '') await capabilities.replaceText(backup, before);
  // guard: client-file-unchanged-since-shown
  if ((await readIfThere(file, capabilities)) !== before) {
    throw usageError(
      option,
      `${client.title} changed ${visible(file)} meanwhile. Quit it, and run the command again.`,
    );
  }
  await capabilities.replaceText(file, after);
  await capabilities.stdout.write(
    `Written.${before === '' ? '' : ` The former file is ${visible(backup)}.`} ${client.next}\n`,
  );
  return EXIT.ok;
}

/** The options that an entry carries, or that say what to do with it. */
const CARRIED = new Set(['install', 'uninstall', 'accept', 'config', 'plugins', 'code']);

/** Throws `INVALID_OPTIONS` for an option that would be lost: the client would start without it. */
function checkCarried(settings: InstallSettings): void {
  const lost = Object.keys(settings).find((name) => !CARRIED.has(name));
  if (lost === undefined) return;
  const flag = `--${lost.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw usageError(
    flag,
    `--install and --uninstall do not take ${flag}. Write it into the file of --config, if it belongs to the server.`,
  );
}

/** Rejects with `INVALID_OPTIONS` if the client would start a server without plugins or configuration. */
async function checkServed(
  directories: readonly string[],
  { config, plugins = [] }: InstallSettings,
  { listDirectory, readFile }: CliCapabilities,
): Promise<void> {
  for (const path of [...directories, ...plugins]) {
    await listDirectory(path).catch((error: unknown) => {
      throw usageError('--install', `${visible(path)} cannot be served: ${reasonOf(error)}`);
    });
  }
  if (config === undefined) return;
  await readFile(config).catch((error: unknown) => {
    throw usageError('--config', `${visible(config)} cannot be read: ${reasonOf(error)}`);
  });
}

/** Throws `INVALID_OPTIONS` if there is nothing to serve, or a name is taken. */
function toAdd(
  directories: readonly string[],
  { config, plugins = [], code }: InstallSettings,
  client: Client,
  there: Readonly<Record<string, unknown>>,
  capabilities: CliCapabilities,
): Readonly<Record<string, ServerEntry>> {
  const served = [...directories, ...plugins].map((path) => resolve(path));
  const entryOf = (args: readonly string[]): ServerEntry => ({
    ...(client.hasType ? { type: 'stdio' as const } : {}),
    ...capabilities.ownCommand,
    args: [...capabilities.ownCommand.args, ...args],
  });
  const given = [
    ...(config === undefined ? [] : ['--config', resolve(config)]),
    ...(code === true ? ['--code'] : []),
  ];
  const entries: Record<string, ServerEntry> =
    served.length > 0 || config !== undefined
      ? { bulkhead: entryOf(['mcp', ...served, ...given]) }
      : Object.fromEntries(
          Object.keys(openLock({ user: true }, capabilities).read().plugins).map((id) => [
            id.replace(/^@[^/]+\//, ''),
            entryOf(['run', `npm:${id}`]),
          ]),
        );
  if (Object.keys(entries).length === 0) {
    throw usageError(
      '--install',
      'There is nothing to serve. Accept a server first (bulkhead add --user npm:NAME), or name directories of plugins.',
    );
  }
  for (const name of Object.keys(entries)) {
    // guard: client-entry-not-replaced
    if (Object.hasOwn(there, name) && !isOurs(there[name], capabilities)) {
      throw usageError(
        '--install',
        `${client.title} already has a server named ${visible(name)}. Remove it from ${visible(client.file)} first.`,
      );
    }
  }
  return entries;
}

function toRemove(
  there: Readonly<Record<string, unknown>>,
  capabilities: CliCapabilities,
): Readonly<Record<string, undefined>> {
  const ours = Object.keys(there).filter((name) => isOurs(there[name], capabilities));
  return Object.fromEntries(ours.map((name) => [name, undefined]));
}

/** Whether an entry starts this installation of Bulkhead. */
function isOurs(entry: unknown, { ownCommand }: CliCapabilities): boolean {
  if (!isRecord(entry) || !Array.isArray(entry['args'])) return false;
  const [main, command] = entry['args'];
  return main === ownCommand.args[0] && (command === 'run' || command === 'mcp');
}

function diffOf(
  { title, key }: Client,
  file: string,
  entries: Readonly<Record<string, ServerEntry | undefined>>,
  there: Readonly<Record<string, unknown>>,
): string {
  const lines = Object.entries(entries).flatMap(([name, entry]) => [
    ...(Object.hasOwn(there, name)
      ? [`- ${key}.${visible(name)}: ${commandLine(there[name])}`]
      : []),
    ...(entry === undefined ? [] : [`+ ${key}.${visible(name)}: ${commandLine(entry)}`]),
  ]);
  return `${title}: ${visible(file)}\n${lines.join('\n')}\n`;
}

function commandLine(entry: unknown): string {
  if (!isRecord(entry)) return visible(JSON.stringify(entry) ?? '');
  const args = Array.isArray(entry['args']) ? entry['args'] : [];
  return [entry['command'], ...args].map((word) => visible(String(word))).join(' ');
}

async function isAccepted(
  { accept }: InstallSettings,
  { ask, interrupted }: CliCapabilities,
): Promise<boolean> {
  if (accept === true) return true;
  const answer = await ask?.('Write this? [y/N] ', interrupted);
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}

/** The empty text if there is no file. */
async function readIfThere(path: string, { readFile }: CliCapabilities): Promise<string> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}
