import type { Command } from 'commander';
import { explainPermissions } from '../index.js';
import type {
  CatalogTool,
  EngineOptions,
  EntryStatus,
  Permissions,
  Plugin,
  PluginStatus,
} from '../index.js';
import type { RunCommand } from './call.js';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { type Failure, failureOfPlugin, noPlugin } from './failure.js';
import { makePaint, type Paint } from './paint.js';
import type { CliPowers } from './powers.js';
import { errorBlock } from './report.js';
import { runSuggest } from './suggest.js';
import { addPluginOptions, engineOptions, type PluginSettings } from './settings.js';
import { jsonLine, jsonLines, visible, visibleLines } from './visible.js';

export function addInspect(program: Command, run: RunCommand): void {
  const command = program
    .command('inspect')
    .description('show what a plugin is, what it offers and what it may do, without network access')
    .argument('<plugin-dir>', 'directory of the plugin');
  addPluginOptions(command)
    .option('--json', 'print one line of JSON')
    .option(
      '--suggest',
      'read its code, run none of it, and write the least request for permissions',
    )
    .action((directory: string, settings: PluginSettings & { readonly suggest?: boolean }) =>
      run((powers) =>
        settings.suggest === true
          ? runSuggest(directory, settings.json === true, powers)
          : runInspect(directory, settings, powers),
      ),
    );
}

/** Shows one plugin. Its modules run, since only they can say what tools they offer. */
export async function runInspect(
  directory: string,
  settings: PluginSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const options = await engineOptions([directory], settings, powers);
  const status = await look({ ...options, grant: onlyWhatReads }, powers);
  const failure = failureOf(status, directory);
  if (settings.json === true) {
    const error = failure && { code: failure.code, message: failure.message };
    const plugin = status && { ...status, entries: status.entries.map(withSentences) };
    await powers.stdout.write(
      jsonLine({ ok: failure === undefined, plugin, ...(error === undefined ? {} : { error }) }),
    );
  } else {
    const paint = makePaint(powers.stdout.colour);
    if (status !== undefined) await powers.stdout.write(describe(status, paint));
    if (failure !== undefined) {
      await powers.stderr.write(await errorBlock(failure, directory, powers));
    }
  }
  return failure === undefined ? EXIT.ok : exitCodeOf(failure.code);
}

/**
 * The plugin's status. One that waits for variables is looked at with words in their places, since
 * otherwise nobody could see its tools before they have its keys.
 */
async function look(
  options: EngineOptions,
  powers: Pick<CliPowers, 'createEngine'>,
): Promise<PluginStatus | undefined> {
  await using engine = await powers.createEngine(options);
  const [status] = engine.plugins();
  if (status?.state !== 'inactive') return status;
  const missing = status.entries
    .flatMap(({ declared }) => declared.environment)
    .filter((name) => (options.env?.[name] ?? '') === '');
  const standIns = Object.fromEntries(missing.map((name) => [name, 'not set']));
  await using second = await powers.createEngine({
    ...options,
    env: { ...options.env, ...standIns },
  });
  const [seen] = second.plugins();
  return seen && { ...seen, state: status.state, problems: status.problems };
}

function failureOf(status: PluginStatus | undefined, directory: string): Failure | undefined {
  if (status === undefined) return noPlugin(directory);
  return status.state === 'failed' ? failureOfPlugin(status) : undefined;
}

/**
 * Whoever inspects a plugin does not trust it yet: while it is looked at it has nobody to talk to, and
 * leaves nothing behind.
 */
function onlyWhatReads(plugin: Plugin): Partial<Permissions> {
  const declared = plugin.entries.map((entry) => entry.declared);
  return {
    time: declared.some(({ time }) => time),
    random: declared.some(({ random }) => random),
    environment: declared.flatMap(({ environment }) => environment),
    filesystem: declared.flatMap(({ filesystem }) => filesystem),
    // This host lends nothing; some systems' tools are there only for who may have tools.
    powers: declared.flatMap(({ powers }) => powers),
  };
}

function withSentences(entry: EntryStatus): object {
  return { ...entry, sentences: sentencesOf(entry) };
}

function sentencesOf({ confinement, declared, secrets }: EntryStatus): readonly string[] {
  if (confinement === 'host') return ['Run unconfined, with everything that this user may do.'];
  const named = secrets.map(
    ({ name, hosts, in: places }) =>
      `Have ${name} put into requests to ${hosts.join(', ')} (${places.join(', ')}), without seeing it.`,
  );
  const inPlain = declared.environment.filter((name) => !secrets.some((one) => one.name === name));
  return [...explainPermissions({ ...declared, environment: inPlain }), ...named];
}

function describe(status: PluginStatus, paint: Paint): string {
  const { id, name, version, format, directory, state, entries, tools, alerts, problems } = status;
  const lines = [
    `${paint('bold', visible(id))}${version === undefined ? '' : ` ${visible(version)}`}`,
    `  name       ${visible(name)}`,
    `  format     ${format ?? 'unknown'}`,
    `  directory  ${visible(directory)}`,
    `  state      ${state}`,
    ...alerts.map(({ level, message }) => `  ${level.padEnd(9)}  ${visible(message)}`),
    ...problems.map(({ code, message }) => `  problem    ${code}: ${visible(message)}`),
    ...entries.flatMap((entry) => describeEntry(entry, paint)),
    ...tools.flatMap((tool) => describeTool(tool, paint)),
  ];
  return `${lines.join('\n')}\n`;
}

function describeEntry(entry: EntryStatus, paint: Paint): string[] {
  return [
    '',
    `${paint('bold', visible(entry.file))} (${visible(entry.key)})`,
    `  content    ${entry.bundle ?? 'not built'}`,
    ...(entry.edition === undefined ? [] : [`  edition    ${entry.edition}`]),
    ...(entry.hooks?.length ? [`  hooks      ${entry.hooks.map(visible).join(', ')}`] : []),
    entry.undeclared === true
      ? '  permissions: it has no place to ask for any; --allow gives it some'
      : '  permissions that it asks for',
    ...sentencesOf(entry).map((sentence) => `    - ${visible(sentence)}`),
  ];
}

function describeTool(tool: CatalogTool, paint: Paint): string[] {
  const marks = [
    `${tool.risk} risk (${tool.riskWhy})`,
    ...(tool.asks === undefined ? [] : ['asks before it runs']),
    ...(tool.category === undefined ? [] : [`category ${visible(tool.category)}`]),
    ...(tool.exclusive === true ? ['runs alone'] : []),
    ...(tool.annotations.readOnlyHint === true ? ['says that it only reads'] : []),
    `at most ${tool.timeoutMs} ms`,
  ];
  return [
    '',
    `${paint('bold', visible(tool.name))}  ${paint('dim', marks.join(', '))}`,
    ...indent(visibleLines(tool.description), '  '),
    '  input',
    ...indent(jsonLines(tool.inputSchema), '    '),
  ];
}

function indent(text: string, by: string): string[] {
  return text.split('\n').map((line) => `${by}${line}`);
}
