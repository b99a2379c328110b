import { formatNamed } from '../formats/table.js';
import type { Command } from 'commander';
import type { CatalogTool } from '../catalog/catalog.js';
import type { EngineOptions } from '../engine/types/options.js';
import type { EntryStatus, PluginStatus } from '../engine/types/status.js';
import { explainPermissions } from '../permissions/permissions.js';
import { packagesAmong, type SuggestedPackage } from '../suggest/package-grants.js';
import type { Suggestion, UsedPower } from '../suggest/suggestion.js';
import { jsonLine, jsonLines, visible, visibleText } from '../visible.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { type PluginSettings, addPluginOptions, engineOptions } from './engine-options.js';
import { placeOfPlugin } from './named-plugins.js';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { errorFields, type Failure, failureOf, failureOfPlugin, noPlugin } from './failure.js';
import { inspectedGrant, NO_NETWORK } from './inspected.js';
import { type Paint, makePaint, print } from './output.js';
import { whyProgramCannotRun } from '../suggest/program-needs.js';
import { cannotRun } from './lock/fetch.js';
import { LOCK_FILE } from './lock/options.js';
import { errorBlock, toldInJson } from './report-failure.js';

export function addInspect(program: Command, run: RunCommand): void {
  const command = program
    .command('inspect')
    .description(
      'show the tools, hooks and permissions of a plugin; it gets no network, and a storage that is removed afterwards',
    )
    .argument('<plugin-dir>', 'directory of the plugin, or with --lock its id');
  addPluginOptions(command)
    .option('--json', 'print one line of JSON')
    .option(
      '--suggest',
      'read the code without running it, and print the permissions that it needs; with --packages, those of each npm package',
    )
    .action((directory: string, settings: InspectSettings) =>
      run((capabilities) => {
        if (settings.suggest === true) return runSuggest(directory, settings, capabilities);
        return runInspect(directory, settings, capabilities);
      }),
    );
}

interface InspectSettings extends PluginSettings {
  readonly suggest?: boolean;
}

/** Shows one plugin. Its modules run, because the tools exist only after that. */
export async function runInspect(
  named: string,
  settings: PluginSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const directory = await placeOfPlugin(named, settings, capabilities);
  const options = await engineOptions([directory], settings, capabilities);
  await using storage = await capabilities.makeScratch();
  const status = await readStatus(
    {
      ...options,
      grant: inspectedGrant(settings),
      network: { ...options.network, ...NO_NETWORK },
      storageDirectory: storage.directory,
    },
    capabilities,
  );
  const artifact = await artifactOf(status, options, capabilities);
  const hostPowers = await missingPowers(status, options, capabilities);
  const failure =
    failureOfInspected(status, directory) ??
    (await failureOfProgram(status, directory, capabilities));
  if (settings.json === true) {
    const error =
      failure === undefined
        ? undefined
        : { ...errorFields(failure), ...(await toldInJson(failure, directory, capabilities)) };
    const entries = status?.entries.map(withSentences);
    const plugin = status && {
      ...status,
      ...(artifact === undefined ? {} : { artifact }),
      ...(hostPowers.length === 0 ? {} : { hostPowers }),
      entries,
    };
    await capabilities.stdout.write(
      jsonLine({ ok: failure === undefined, plugin, ...(error === undefined ? {} : { error }) }),
    );
  } else {
    const paint = makePaint(capabilities.stdout.colour);
    if (status !== undefined) {
      await capabilities.stdout.write(describe(status, { artifact, hostPowers }, paint));
    }
    if (failure !== undefined) {
      await capabilities.stderr.write(await errorBlock(failure, directory, capabilities));
    }
  }
  return failure === undefined ? EXIT.ok : exitCodeOf(failure.code);
}

/**
 * The plugin's status. Missing variables get placeholders, so that the tools of a plugin can be seen
 * before its keys are set.
 */
async function readStatus(
  options: EngineOptions,
  capabilities: Pick<CliCapabilities, 'createEngine'>,
): Promise<PluginStatus | undefined> {
  await using engine = await capabilities.createEngine(options);
  const [status] = engine.plugins();
  if (status?.state !== 'inactive') return status;
  const missing = status.entries
    .flatMap(({ declared }) => declared.env)
    .filter((name) => (options.env?.[name] ?? '') === '');
  const placeholders = Object.fromEntries(missing.map((name) => [name, 'not set']));
  await using second = await capabilities.createEngine({
    ...options,
    env: { ...options.env, ...placeholders },
  });
  const [seen] = second.plugins();
  return seen && { ...seen, state: status.state, problems: status.problems };
}

function failureOfInspected(
  status: PluginStatus | undefined,
  directory: string,
): Failure | undefined {
  if (status === undefined) return noPlugin(directory);
  return status.state === 'failed' ? failureOfPlugin(status) : undefined;
}

/** Why a program cannot run, by its code: it needs a process, or sockets. */
async function failureOfProgram(
  status: PluginStatus | undefined,
  directory: string,
  capabilities: Pick<CliCapabilities, 'suggestPermissions'>,
): Promise<Failure | undefined> {
  const { format, id } = status ?? {};
  if (format === undefined || formatNamed(format).arePrograms !== true) return undefined;
  const why = whyProgramCannotRun(await capabilities.suggestPermissions(directory));
  return why === undefined ? undefined : failureOf(cannotRun(id ?? directory, why));
}

/** The hash of the plugin's artifact, as `add` and `list` show it; `undefined` if it cannot be built. */
async function artifactOf(
  status: PluginStatus | undefined,
  options: EngineOptions,
  { openLockfile }: Pick<CliCapabilities, 'openLockfile'>,
): Promise<string | undefined> {
  if (status === undefined || status.format === undefined) return undefined;
  try {
    const { plugins: _, lockFile: __, ...rest } = options;
    const lockfile = openLockfile(options.lockFile ?? LOCK_FILE, { ...rest, plugins: [] });
    return (await lockfile.inspect(status.directory)).artifact.hash;
  } catch {
    // The status has the reason.
    return undefined;
  }
}

/** The powers that the plugin's code uses and that the options do not lend; none if it cannot be read. */
async function missingPowers(
  status: PluginStatus | undefined,
  { powers = [] }: EngineOptions,
  { suggestPermissions }: Pick<CliCapabilities, 'suggestPermissions'>,
): Promise<readonly UsedPower[]> {
  if (status?.format === undefined) return [];
  const { interfaces = [] } = formatNamed(status.format);
  if (interfaces.every(({ powerOf }) => powerOf === undefined)) return [];
  const lent = new Set(powers.map(({ name }) => name));
  const { hostPowers } = await suggestPermissions(status.directory).catch(() => ({
    hostPowers: [],
  }));
  return hostPowers.filter(({ name }) => !lent.has(name));
}

/** The hash of an entry's code is left out: the artifact's hash identifies what runs. */
function withSentences(entry: EntryStatus): object {
  const { bundle: _, ...shown } = entry;
  return { ...shown, sentences: sentencesOf(entry) };
}

function sentencesOf({ confinement, declared, secrets }: EntryStatus): readonly string[] {
  if (confinement === 'host') return ['Run without a sandbox, with all rights of your user.'];
  const named = secrets.map(
    ({ name, hosts, in: places }) =>
      `Have ${name} put into requests to ${hosts.join(', ')} (${places.join(', ')}), without seeing it.`,
  );
  const inPlain = declared.env.filter((name) => !secrets.some((one) => one.name === name));
  return [...explainPermissions({ ...declared, env: inPlain }), ...named];
}

interface Found {
  readonly artifact: string | undefined;
  /** The powers that its code uses and that these options do not lend. */
  readonly hostPowers: readonly UsedPower[];
}

function describe(status: PluginStatus, { artifact, hostPowers }: Found, paint: Paint): string {
  const { id, name, version, format, directory, state, entries, tools, alerts, problems } = status;
  const lines = [
    `${paint('bold', visible(id))}${version === undefined ? '' : ` ${visible(version)}`}`,
    `  name       ${visible(name)}`,
    `  format     ${format ?? 'unknown'}`,
    `  directory  ${visible(directory)}`,
    `  artifact   ${artifact ?? 'not built'}`,
    `  state      ${state}`,
    ...(status.agents ?? []).map(
      (agent) =>
        `  agent      ${visible(agent.id)}, uses ${agent.useTools.map(visible).join(', ') || 'no tools'}`,
    ),
    ...(status.notRun ?? []).map((part) => `  not run    ${visible(part)}`),
    ...explainHostNeeds(id, status.unreachedEvents ?? [], hostPowers),
    ...alerts.map(({ level, message }) => `  ${level.padEnd(9)}  ${visible(message)}`),
    ...problems.map(({ code, message }) => `  problem    ${code}: ${visible(message)}`),
    ...entries.flatMap((entry) => describeEntry(entry, paint)),
    ...tools.flatMap((tool) => describeTool(tool, paint)),
  ];
  return `${lines.join('\n')}\n`;
}

/** What a host has to give the plugin besides permissions. */
function explainHostNeeds(
  id: string,
  events: readonly string[],
  powers: readonly UsedPower[],
): readonly string[] {
  const named = powers.map(({ name, permission }) => visible(`${name} (${permission})`));
  return [
    ...(events.length === 0
      ? []
      : [
          `  background it gets ${events.map((event) => visible(event)).join(', ')} only if the engine's option background names ${visible(id)}`,
        ]),
    ...(named.length === 0
      ? []
      : [
          `  powers     it asks its host for ${named.join(', ')}; lend them with the engine's option powers or --power`,
        ]),
  ];
}

function describeEntry(entry: EntryStatus, paint: Paint): string[] {
  return [
    '',
    `${paint('bold', visible(entry.file))} (${visible(entry.key)})`,
    ...(entry.edition === undefined ? [] : [`  edition    ${entry.edition}`]),
    ...(entry.hooks?.length ? [`  hooks      ${entry.hooks.map(visible).join(', ')}`] : []),
    entry.undeclared === true
      ? '  permissions: its format cannot declare any; grant them with --allow'
      : '  declared permissions',
    ...sentencesOf(entry).map((sentence) => `    - ${visible(sentence)}`),
  ];
}

function describeTool(tool: CatalogTool, paint: Paint): string[] {
  const marks = [
    `${tool.risk} risk (${tool.riskWhy})`,
    ...(tool.asks === undefined ? [] : ['requires approval']),
    ...(tool.category === undefined ? [] : [`category ${visible(tool.category)}`]),
    ...(tool.exclusive === true ? ['runs alone'] : []),
    ...(tool.annotations.readOnlyHint === true ? ['declares that it only reads'] : []),
    `at most ${tool.timeoutMs} ms`,
  ];
  return [
    '',
    `${paint('bold', visible(tool.name))}  ${paint('dim', marks.join(', '))}`,
    ...indent(visibleText(tool.description), '  '),
    '  input',
    ...indent(jsonLines(tool.inputSchema), '    '),
  ];
}

function indent(text: string, by: string): string[] {
  return text.split('\n').map((line) => `${by}${line}`);
}

/** Prints the permissions that a plugin's code needs. The code does not run. */
export async function runSuggest(
  directory: string,
  settings: Pick<InspectSettings, 'json' | 'packages'>,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const json = settings.json === true;
  try {
    const suggestion = await capabilities.suggestPermissions(directory);
    if (settings.packages === 'separate') {
      const packages = packagesAmong(suggestion);
      const { plugin } = suggestion;
      await print(
        { json },
        capabilities,
        { ok: true, plugin, packages },
        describePackages(plugin, packages, makePaint(capabilities.stdout.colour)),
      );
      return EXIT.ok;
    }
    await print(
      { json },
      capabilities,
      { ok: true, ...suggestion },
      describeSuggestion(suggestion, makePaint(capabilities.stdout.colour)),
    );
    return EXIT.ok;
  } catch (error) {
    const failure = failureOf(error);
    if (json) {
      const told = await toldInJson(failure, directory, capabilities);
      await capabilities.stdout.write(
        jsonLine({ ok: false, error: { ...errorFields(failure), ...told } }),
      );
    } else await capabilities.stderr.write(await errorBlock(failure, directory, capabilities));
    return exitCodeOf(failure.code);
  }
}

function describePackages(
  plugin: string,
  packages: readonly SuggestedPackage[],
  paint: Paint,
): string {
  const grant = Object.fromEntries(packages.map((one) => [one.path, one.grant]));
  const option = JSON.stringify({ [plugin]: { grant } }, null, 2).split('\n');
  const lines = [
    paint('bold', `${visible(plugin)}: packages whose code uses permissions: ${packages.length}`),
    'The other packages need nothing.',
    ...(packages.length === 0
      ? []
      : ['', '  for the option "packages"', ...option.map((line) => `    ${visible(line)}`)]),
    ...packages.flatMap(({ path, items }) => [
      '',
      paint('bold', visible(path)),
      ...items.map(({ permission, scope, why, at }) => {
        const what =
          scope === 'true' || scope === undefined ? permission : `${permission} ${visible(scope)}`;
        return `  ${what}  ${paint('dim', `${visible(why)} at ${visible(at)}`)}`;
      }),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

function describeSuggestion(suggestion: Suggestion, paint: Paint): string {
  const { plugin, format, manifest, permissions, items, open, hostPowers } = suggestion;
  const request = JSON.stringify(permissions, null, 2).split('\n');
  const width = Math.max(
    0,
    ...items.map(({ at }) => at.length),
    ...open.map(({ at }) => at.length),
    ...hostPowers.map(({ at }) => at.length),
  );
  const lines = [
    `${paint('bold', visible(plugin))} needs ${items.length === 0 ? 'no permission' : 'these permissions'}`,
    '',
    ...(items.length === 0
      ? []
      : [
          `  in ${visible(manifest)}, ${formatNamed(format).permissionsPlace}`,
          ...request.map((line) => `    ${visible(line)}`),
          '',
        ]),
    ...items.map(
      ({ permission, scope, why, at }) =>
        `  ${visible(at).padEnd(width)}  ${permission}${scope === 'true' ? '' : ` ${visible(scope)}`}  ${paint('dim', visible(why))}`,
    ),
    ...(open.length === 0 ? [] : ['', paint('bold', 'Not known without running the code')]),
    ...open.map(({ permission, what, at }) => {
      const kind = permission === 'none' ? '' : `${permission}  `;
      return `  ${visible(at).padEnd(width)}  ${kind}${visible(what)}`;
    }),
    ...(hostPowers.length === 0 ? [] : ['', paint('bold', 'A host has to lend these powers')]),
    ...hostPowers.map(
      ({ name, permission, at }) =>
        `  ${visible(at).padEnd(width)}  ${visible(name)}  ${paint('dim', permission)}`,
    ),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}
