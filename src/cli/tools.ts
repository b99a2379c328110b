import type { Command } from 'commander';
import type { CatalogTool, PluginStatus } from '../index.js';
import type { RunCommand } from './call.js';
import { findEmpty } from './directories.js';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { type Failure, failureOfPlugin, noPlugin } from './failure.js';
import type { CliPowers } from './powers.js';
import { errorBlock } from './report.js';
import { whereDeclared } from './secrets.js';
import { addPluginOptions, engineOptions, type PluginSettings } from './settings.js';
import { formatTable } from './table.js';
import { jsonLine, visible } from './visible.js';

export function addTools(program: Command, run: RunCommand): void {
  const command = program
    .command('tools')
    .description('list the tools of plugins, under the names by which they are called')
    .argument('<plugin-dir...>', 'directories of plugins');
  addPluginOptions(command)
    .option('--json', 'print one line of JSON')
    .action((directories: string[], settings: PluginSettings) =>
      run((powers) => runTools(directories, settings, powers)),
    );
}

/** Lists what can be called; a plugin that cannot be used is told of, and hides no other. */
export async function runTools(
  directories: readonly string[],
  settings: PluginSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const options = await engineOptions(directories, settings, powers);
  const secrets = whereDeclared(settings.secret ?? {});
  await using engine = await powers.createEngine({ ...options, secrets });
  const tools = engine.catalog.list();
  const plugins = engine.plugins();
  const failures = [
    ...plugins.filter(isBroken).flatMap((status) => failureOfPlugin(status) ?? []),
    ...(await findEmpty(directories, plugins, powers)).map(noPlugin),
  ];
  const warnings = plugins.flatMap(warningsOf);
  if (settings.json === true) {
    const problems = [...failures, ...warnings];
    await powers.stdout.write(jsonLine({ ok: failures.length === 0, tools, problems }));
  } else {
    await powers.stdout.write(formatTable([HEADING, ...tools.map(row)]));
    for (const failure of [...failures, ...warnings]) {
      await powers.stderr.write(`\n${await errorBlock(failure, undefined, powers)}`);
    }
  }
  return failures[0] === undefined ? EXIT.ok : exitCodeOf(failures[0].code);
}

/** What there is to say of a plugin that runs, or that waits for its configuration. */
function warningsOf(status: PluginStatus): Failure[] {
  return isBroken(status)
    ? []
    : status.problems.map((problem) => ({ ...problem, plugin: status.id }));
}

function isBroken({ state }: PluginStatus): boolean {
  return state === 'failed';
}

const HEADING = ['TOOL', 'PLUGIN', 'RISK', 'ASKS', 'RUNS', 'DESCRIPTION'];

function row({
  name,
  plugin,
  risk,
  requireApproval,
  asks,
  confinement,
  description,
}: CatalogTool): string[] {
  return [
    visible(name),
    visible(plugin),
    risk,
    requireApproval || asks !== undefined ? 'yes' : 'no',
    RUNS[confinement],
    shorten(visible(description)),
  ];
}

const RUNS = { compartment: 'sandboxed', host: 'UNCONFINED', remote: 'ELSEWHERE' } as const;

const MAX_DESCRIPTION = 80;

function shorten(text: string): string {
  return text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1)}…` : text;
}
