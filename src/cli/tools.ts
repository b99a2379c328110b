import type { Command } from 'commander';
import type { CatalogTool } from '../index.js';
import type { RunCommand } from './call.js';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { type Failure, failureOfPlugin } from './failure.js';
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
  await using engine = await powers.createEngine({
    ...engineOptions(directories, settings, powers),
    secrets: whereDeclared(settings.secret ?? {}),
  });
  const tools = engine.catalog.list();
  const failures = engine.plugins().flatMap((status) => failureOfPlugin(status) ?? []);
  if (settings.json === true) {
    await powers.stdout.write(jsonLine({ ok: failures.length === 0, tools, problems: failures }));
  } else {
    await powers.stdout.write(formatTable([HEADING, ...tools.map(row)]));
    for (const failure of failures) await tell(failure, powers);
  }
  return failures[0] === undefined ? EXIT.ok : exitCodeOf(failures[0].code);
}

const HEADING = ['TOOL', 'PLUGIN', 'ASKS', 'RUNS', 'DESCRIPTION'];

function row({ name, plugin, requireApproval, confinement, description }: CatalogTool): string[] {
  return [
    visible(name),
    visible(plugin),
    requireApproval ? 'yes' : 'no',
    confinement === 'host' ? 'UNCONFINED' : 'sandboxed',
    shorten(visible(description)),
  ];
}

const MAX_DESCRIPTION = 80;

function shorten(text: string): string {
  return text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1)}…` : text;
}

async function tell(failure: Failure, powers: CliPowers): Promise<void> {
  await powers.stderr.write(`\n${await errorBlock(failure, undefined, powers)}`);
}
