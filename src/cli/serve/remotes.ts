import type { Command } from 'commander';
import type { Engine } from '../../engine/engine-api.js';
import { openStoredListings } from '../../engine/instance/offer-pins.js';
import type { PluginStatus } from '../../engine/types/status.js';
import { visible } from '../../visible.js';
import type { RunCommand } from '../call.js';
import type { CliCapabilities } from '../capabilities.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { formatTable, print } from '../output.js';
import { makeServerLog } from './log.js';
import { REMOTE_LIMITS } from '../../remotes/limits.js';
import { readConfigFile, readIdentity } from './config-file.js';
import { engineOptionsFor } from './options.js';

/** The answer lists every server, also one that is about to fail. */
const REMOTES_WAIT_MS = REMOTE_LIMITS.startMs + 1_000;

export interface RemotesSettings {
  readonly config?: string;
  readonly accept?: string;
  readonly digest?: string;
  readonly login?: string;
  readonly logout?: string;
  readonly lock?: string;
  readonly json?: boolean;
}

export function addRemotes(program: Command, run: RunCommand): void {
  program
    .command('remotes')
    .description('list the tool servers of the configuration and their tools')
    .option('--config <FILE>', 'configuration file (default: bulkhead.config.json, if it exists)')
    .option(
      '--accept <ID>',
      'accept the current tool definitions of this server, or what this MCP server among your plugins lists',
    )
    .option(
      '--digest <TEXT>',
      'with --accept: accept only if the definitions still have this digest',
    )
    .option('--login <ID>', 'log in at this server, which is registered with "oauth"')
    .option('--logout <ID>', 'delete the stored login at this server')
    .option('--lock <FILE>', 'lock file for the accepted definitions (default: as configured)')
    .option('--json', 'print one line of JSON')
    .action((settings: RemotesSettings) =>
      run((capabilities) => runRemotes(settings, capabilities)),
    );
}

/** Exits with 2 if a server does not respond, or one of its tools awaits review. */
export async function runRemotes(
  settings: RemotesSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { accept, digest, login, logout, lock, json = false } = settings;
  if (digest !== undefined && accept === undefined) {
    throw usageError('--digest', '--digest needs --accept');
  }
  const file = await readConfigFile(settings, capabilities);
  const isRemote = (file.remotes ?? []).some(({ id }) => id === accept);
  const listings = openStoredListings(file.storageDirectory);
  // An MCP server that is a plugin: its code is accepted, and what it lists waits.
  if (accept !== undefined && !isRemote && listings.has(accept)) {
    await listings.accept(accept, digest);
    await capabilities.stderr.write(
      `accepted what ${visible(accept)} lists; servers that run get it at their next start\n`,
    );
    return EXIT.ok;
  }
  if ((file.remotes ?? []).length === 0) {
    throw usageError('--config', 'the configuration has no servers under "remotes"');
  }
  const quiet = { ...capabilities.stderr, write: () => Promise.resolve() };
  const logger = makeServerLog(quiet, () => new Date());
  const { plugins: _plugins, ...rest } = file;
  await using engine = await capabilities.createEngine({
    ...engineOptionsFor(lock === undefined ? {} : { lock }, rest, logger, capabilities),
    remotesWaitMs: REMOTES_WAIT_MS,
    identity: await readIdentity(file, () => 'http://127.0.0.1', capabilities),
  });
  if (accept !== undefined) await engine.accept(accept, digest);
  if (logout !== undefined) await engine.logOut(logout);
  if (login !== undefined) await logIn(engine, login, capabilities);
  const remotes = engine.plugins();
  await print({ json }, capabilities, { ok: true, remotes }, formatRemotes(remotes));
  return remotes.some(({ problems }) => problems.length > 0) ? EXIT.findings : EXIT.ok;
}

/** Shows the page and waits. The address is printed, not opened: no program starts. */
async function logIn(
  engine: Pick<Engine, 'logIn'>,
  id: string,
  { stderr, interrupted }: Pick<CliCapabilities, 'stderr' | 'interrupted'>,
): Promise<void> {
  await engine.logIn(id, {
    show: (page) => {
      const scope = new URL(page).searchParams.get('scope');
      const asks = scope === null ? '' : `It requests the scopes ${visible(scope)}.\n`;
      return stderr.write(
        `To log in at ${visible(id)}, open this page on this machine:\n  ${visible(page)}\n${asks}`,
      );
    },
    signal: AbortSignal.any([interrupted, AbortSignal.timeout(LOGIN_MS)]),
  });
  await stderr.write(`logged in at ${visible(id)}; the login is stored encrypted\n`);
}

/** Milliseconds for a person to log in. */
const LOGIN_MS = 300_000;

const CONFINED = {
  remote: 'elsewhere',
  host: 'NO',
  'sandbox-runtime': 'sandbox-runtime',
} as const;

function formatRemotes(remotes: readonly PluginStatus[]): string {
  const rows = remotes.map(({ id, format, tools, state, confinement, directory }) => [
    visible(id),
    format ?? '?',
    String(tools.length),
    state,
    CONFINED[confinement ?? 'remote'],
    visible(directory),
  ]);
  const problems = remotes.flatMap(({ problems: all }) =>
    all.map(({ code, message }) => `${code}  ${visible(message)}\n`),
  );
  return `${formatTable([['SERVER', 'PROTOCOL', 'TOOLS', 'STATE', 'CONFINED', 'URL'], ...rows])}${problems.join('')}`;
}
