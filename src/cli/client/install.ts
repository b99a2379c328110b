import { resolve } from 'node:path';
import { visible } from '../../visible.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { reasonOf, usageError } from '../failure.js';
import { openLock } from '../lock/options.js';
import { placedServersIn, type ServerEntry, serversIn } from './client-file.js';
import { type Client, clientNamed } from './clients.js';
import { readFormerEntries, storeFormerEntries } from './former-entries.js';
import { restored } from './restore.js';
import { type ClientFile, commandLine, isOurs, readClientFile, rewriteClient } from './rewrite.js';

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
  const found = await readClientFile(clientNamed(option, name, capabilities), capabilities);
  if (!isInstall) return uninstall(found, settings, capabilities);
  const { client, before } = found;
  const there = serversIn(before, client);
  await checkServed(directories, settings, capabilities);
  const entries = toAdd(directories, settings, client, there, capabilities);
  const { accept } = settings;
  const edits = Object.entries(entries).map(([one, value]) => ({ path: [client.key, one], value }));
  return rewriteClient(
    found,
    { option, accept, edits, shown: diffOf(client, entries, there) },
    capabilities,
  );
}

/** Removes our entries, and restores those that `--import` replaced. */
async function uninstall(
  found: ClientFile,
  { accept }: InstallSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { client, file, before } = found;
  const ours = placedServersIn(before, client).filter(({ entry }) => isOurs(entry, capabilities));
  const former = await readFormerEntries(file, capabilities);
  const changes = ours.map((server) => restored(server, former));
  const exitCode = await rewriteClient(
    found,
    {
      option: '--uninstall',
      accept,
      edits: changes.flatMap(({ edits }) => edits),
      shown: changes.map(({ shown }) => shown).join(''),
    },
    capabilities,
  );
  if (exitCode === EXIT.ok && former.length > 0) await storeFormerEntries(file, [], capabilities);
  return exitCode;
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

function diffOf(
  { key }: Client,
  entries: Readonly<Record<string, ServerEntry>>,
  there: Readonly<Record<string, unknown>>,
): string {
  const lines = Object.entries(entries).flatMap(([name, entry]) => [
    ...(Object.hasOwn(there, name)
      ? [`- ${key}.${visible(name)}: ${commandLine(there[name])}`]
      : []),
    `+ ${key}.${visible(name)}: ${commandLine(entry)}`,
  ]);
  return `${lines.join('\n')}\n`;
}
