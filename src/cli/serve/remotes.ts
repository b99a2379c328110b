import type { Command } from 'commander';
import type { PluginStatus } from '../../index.js';
import type { RunCommand } from '../call.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageError } from '../failure.js';
import type { CliPowers } from '../powers.js';
import { formatTable } from '../table.js';
import { jsonLine, visible } from '../../visible.js';
import { makeServerLog } from './log.js';
import { engineOptionsFor, readConfigFile, readIdentity } from './options.js';

export interface RemotesSettings {
  readonly config?: string;
  readonly accept?: string;
  readonly digest?: string;
  readonly json?: boolean;
}

export function addRemotes(program: Command, run: RunCommand): void {
  program
    .command('remotes')
    .description('show the servers of tools that the configuration names, and what they offer')
    .option(
      '--config <FILE>',
      'a configuration (default: bulkhead.config.json, where there is one)',
    )
    .option('--accept <ID>', 'take what that server says of its tools now for reviewed')
    .option('--digest <TEXT>', '--accept: only where it is still what was shown by that digest')
    .option('--json', 'print one line of JSON')
    .action((settings: RemotesSettings) => run((powers) => runRemotes(settings, powers)));
}

/** Exits with 2 where a server does not answer, or a tool of one waits for a review. */
export async function runRemotes(settings: RemotesSettings, powers: CliPowers): Promise<ExitCode> {
  const { accept, digest, json = false } = settings;
  if (digest !== undefined && accept === undefined) {
    throw usageError('--digest', '--digest goes with --accept: it says what is accepted');
  }
  const file = await readConfigFile(settings, powers);
  if ((file.remotes ?? []).length === 0) {
    throw usageError('--config', 'the configuration names no servers under "remotes"');
  }
  const quiet = { ...powers.stderr, write: () => Promise.resolve() };
  const logger = makeServerLog(quiet, () => new Date());
  const { plugins: _plugins, ...rest } = file;
  await using engine = await powers.createEngine({
    ...engineOptionsFor({}, rest, logger, powers),
    identity: await readIdentity(file, () => 'http://127.0.0.1', powers),
  });
  if (accept !== undefined) await engine.accept(accept, digest);
  const remotes = engine.plugins();
  await powers.stdout.write(json ? jsonLine({ ok: true, remotes }) : tell(remotes));
  return remotes.some(({ problems }) => problems.length > 0) ? EXIT.findings : EXIT.ok;
}

function tell(remotes: readonly PluginStatus[]): string {
  const rows = remotes.map(({ id, format, tools, state, directory }) => [
    visible(id),
    format ?? '?',
    String(tools.length),
    state,
    visible(directory),
  ]);
  const problems = remotes.flatMap(({ problems: all }) =>
    all.map(({ code, message }) => `${code}  ${visible(message)}\n`),
  );
  return `${formatTable([['SERVER', 'SPEAKS', 'TOOLS', 'STATE', 'AT'], ...rows])}${problems.join('')}`;
}
