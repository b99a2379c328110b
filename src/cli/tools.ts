import type { Command } from 'commander';
import type { CatalogTool } from '../catalog/catalog.js';
import type { PluginStatus } from '../engine/types/status.js';
import { jsonLine, shellWord, visible } from '../visible.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { type PluginSettings, addPluginOptions, engineOptions } from './engine-options.js';
import { placeOfPlugin } from './named-plugins.js';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { type Failure, failureOfPlugin, findEmpty, noPlugin, usageError } from './failure.js';
import { formatTable, shorten } from './output.js';
import { errorBlock } from './report-failure.js';
import { declaredSecrets } from './secrets.js';

export function addTools(program: Command, run: RunCommand): void {
  const command = program
    .command('tools')
    .description('list the tools of plugins by the names that callers use')
    .argument(
      '[plugin-dir...]',
      'directories of plugins, or with --lock their ids (default with --lock: all plugins)',
    );
  addPluginOptions(command)
    .option('--json', 'print one line of JSON')
    .action((directories: string[], settings: PluginSettings) =>
      run((capabilities) => runTools(directories, settings, capabilities)),
    );
}

/** Lists the tools; a broken plugin is reported, and the other plugins are still listed. */
export async function runTools(
  named: readonly string[],
  settings: PluginSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  if (named.length === 0 && settings.lock === undefined) {
    throw usageError('plugin-dir', 'Name the directory of a plugin, or a lock file with --lock.');
  }
  const directories = await Promise.all(
    named.map((one) => placeOfPlugin(one, settings, capabilities)),
  );
  const options = await engineOptions(directories, settings, capabilities);
  const secrets = declaredSecrets(settings.secret ?? {});
  await using engine = await capabilities.createEngine({ ...options, secrets });
  const tools = engine.catalog.list();
  const plugins = engine.plugins();
  const failures = [
    ...plugins.filter(isBroken).flatMap((status) => failureOfPlugin(status) ?? []),
    ...(await findEmpty(directories, plugins, capabilities)).map(noPlugin),
  ];
  const warnings = plugins.flatMap(warningsOf);
  if (settings.json === true) {
    const problems = [...failures, ...warnings];
    const others = plugins.filter(hasOtherParts).map(({ id, agents, notRun }) => ({
      id,
      ...(agents === undefined ? {} : { agents }),
      ...(notRun === undefined ? {} : { notRun }),
    }));
    await capabilities.stdout.write(
      jsonLine({
        ok: failures.length === 0,
        tools,
        problems,
        ...(others.length === 0 ? {} : { plugins: others }),
      }),
    );
  } else {
    await capabilities.stdout.write(formatTable([HEADING, ...tools.map(row)]));
    const rest = plugins.flatMap(restOf).join('');
    if (rest !== '') await capabilities.stdout.write(`\n${rest}`);
    for (const failure of [...failures, ...warnings]) {
      await capabilities.stderr.write(`\n${await errorBlock(failure, undefined, capabilities)}`);
    }
  }
  return failures[0] === undefined ? EXIT.ok : exitCodeOf(failures[0].code);
}

function hasOtherParts({ agents, notRun }: PluginStatus): boolean {
  return agents !== undefined || notRun !== undefined;
}

/** Why a plugin has no line in the table, and its parts that are not tools. */
function restOf(status: PluginStatus): string[] {
  const { id, state, directory, tools, agents, notRun } = status;
  const name = visible(id);
  const inspect = `bulkhead inspect ${shellWord(directory)}`;
  return [
    ...(state === 'active' && tools.length === 0
      ? [`${name} has no tools. Its other parts: ${inspect}\n`]
      : []),
    ...(agents ?? []).map(
      ({ id: agent }) => `${visible(agent)} is an agent: run it with \`bulkhead chat --agent\`.\n`,
    ),
    ...(notRun === undefined
      ? []
      : [
          `${name} has parts that are not run: ${notRun.map((part) => visible(part)).join(', ')}\n`,
        ]),
  ];
}

/** The problems of a plugin that runs, or that is not configured yet. */
function warningsOf(status: PluginStatus): Failure[] {
  return isBroken(status)
    ? []
    : status.problems.map((problem) => ({ ...problem, plugin: status.id }));
}

function isBroken({ state }: PluginStatus): boolean {
  return state === 'failed';
}

const HEADING = ['TOOL', 'PLUGIN', 'RISK', 'APPROVAL', 'RUNS', 'DESCRIPTION'];

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
    shorten(description, MAX_DESCRIPTION),
  ];
}

const RUNS = {
  compartment: 'sandboxed',
  host: 'UNCONFINED',
  remote: 'ON A SERVER',
  'sandbox-runtime': 'sandbox-runtime',
} as const;

const MAX_DESCRIPTION = 80;
