import type { Command } from 'commander';
import {
  type Engine,
  type EngineOptions,
  HOOK_NAMES,
  type HookDialect,
  type HookReport,
  type JsonObject,
} from '../index.js';
import { parseMilliseconds, readJsonObject } from './arguments.js';
import type { RunCommand } from './call.js';
import { findEmpty } from './directories.js';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { type Failure, failureOfPlugin, noPlugin, usageError } from './failure.js';
import { round } from './invoke.js';
import type { CliPowers } from './powers.js';
import { errorBlock, reportFailure } from './report.js';
import { addPluginOptions, engineOptions, type PluginSettings } from './settings.js';
import { formatTable } from './table.js';
import { jsonLine, jsonLines, visible } from './visible.js';

export interface HookSettings extends PluginSettings {
  readonly context?: string;
  readonly dialect?: HookDialect;
  readonly timeout?: number;
}

const HELP_AFTER = `
Hooks: ${HOOK_NAMES.join(', ')}.
Exits with 0 where the chain was run, whatever a single hook did (its report tells); 1 for a hook
that there is none of, or a context that it cannot have; 4 where a plugin cannot be loaded.
`;

export function addHook(program: Command, run: RunCommand): void {
  const command = program
    .command('hook')
    .description(
      'run a hook of plugins, one after the other, and show what they made of its context',
    )
    .argument('<hook>', 'its name, e.g. pre-model-call')
    .argument('<plugin-dir...>', 'directories of plugins')
    .option('--context <JSON>', 'its context: a JSON object, @file, or - (default: {})')
    .option('--dialect <NAME>', 'run all of them as classic or as current', parseDialect)
    .option('--timeout <MS>', 'a deadline for each of them', parseMilliseconds);
  addPluginOptions(command)
    .option('--json', 'print one line of JSON on standard output, whatever happens')
    .addHelpText('after', HELP_AFTER)
    .action((hook: string, directories: string[], settings: HookSettings) =>
      run((powers) => runHook(hook, directories, settings, powers)),
    );
}

/** Runs the chain. What one plugin does wrong is told, and keeps no other from its turn. */
async function runHook(
  hook: string,
  directories: readonly string[],
  settings: HookSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const context = await readJsonObject(settings.context ?? '{}', '--context', powers);
  const options = await engineOptions(directories, settings, powers);
  await using engine = await powers.createEngine(withHooks(options, hook, settings));
  const failures = [
    ...engine.plugins().flatMap((status) => failureOfPlugin(status) ?? []),
    ...(await findEmpty(directories, engine.plugins(), powers)).map(noPlugin),
  ];
  const json = settings.json ?? false;
  const [failure] = failures;
  if (failure !== undefined && !engine.plugins().some(({ state }) => state === 'active')) {
    return reportFailure(failure, { json, durationMs: 0 }, powers);
  }
  const stacks = watchStacks(engine);
  const result = await runChain(engine, hook, context, settings, powers);
  if (json) {
    const problems = failure === undefined ? {} : { problems: failures };
    await powers.stdout.write(jsonLine({ ok: failure === undefined, ...result, ...problems }));
  } else {
    await powers.stdout.write(`${jsonLines(result.context)}\n`);
    await tellPeople(
      result.reports,
      failures,
      { stacks, directories: directoriesOf(engine) },
      powers,
    );
  }
  return failure === undefined ? EXIT.ok : exitCodeOf(failure.code);
}

/** Whoever asks for `init` runs it by hand: it is not run before. */
function withHooks(options: EngineOptions, hook: string, settings: HookSettings): EngineOptions {
  const { dialect, timeout = 0 } = settings;
  const limits = timeout > USUAL_TIMEOUT_MS ? { hookTimeoutMs: timeout } : {};
  return {
    ...options,
    limits: { ...options.limits, ...limits },
    hooks: {
      ...(dialect === undefined ? {} : { dialect }),
      ...(hook === 'init' ? { init: 'first-use' } : {}),
    },
  };
}

const USUAL_TIMEOUT_MS = 30_000;

async function runChain(
  engine: Engine,
  hook: string,
  context: JsonObject,
  { dialect, timeout }: HookSettings,
  { interrupted }: CliPowers,
): Promise<{ readonly context: JsonObject; readonly reports: readonly HookReport[] }> {
  const result = await engine.hooks.run(hook, context, {
    signal: interrupted,
    ...(dialect === undefined ? {} : { dialect }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  });
  const reports = result.reports.map((report) => ({
    ...report,
    durationMs: round(report.durationMs),
  }));
  return { context: result.context, reports };
}

async function tellPeople(
  reports: readonly HookReport[],
  failures: readonly Failure[],
  about: {
    readonly stacks: ReadonlyMap<string, string>;
    readonly directories: ReadonlyMap<string, string>;
  },
  powers: CliPowers,
): Promise<void> {
  if (reports.length === 0) await powers.stderr.write('no plugin has this hook\n');
  else await powers.stderr.write(formatTable([HEADING, ...reports.map(row)]));
  const failed = reports.flatMap(({ plugin, error }) =>
    error === undefined ? [] : [failureOfHook(plugin, error, about.stacks.get(plugin))],
  );
  for (const failure of [...failed, ...failures]) {
    const directory = about.directories.get(failure.plugin ?? '');
    await powers.stderr.write(`\n${await errorBlock(failure, directory, powers)}`);
  }
}

const HEADING = ['PLUGIN', 'DIALECT', 'CHANGED', 'DROPPED', 'TIME', 'OUTCOME'];

function row({
  plugin,
  dialect,
  changed,
  dropped,
  durationMs,
  error,
  halted,
}: HookReport): string[] {
  const outcome = error === undefined ? 'ok' : error.code;
  return [
    visible(plugin),
    dialect,
    visible(changed.join(', ')) || '-',
    visible(dropped.join(', ')) || '-',
    `${durationMs} ms`,
    halted === true ? `${outcome}, no later hook was run` : outcome,
  ];
}

function failureOfHook(
  plugin: string,
  error: NonNullable<HookReport['error']>,
  stack: string | undefined,
): Failure {
  return { ...error, plugin, ...(stack === undefined ? {} : { stack }) };
}

/** Remembers what each plugin's own lines were for what its hook threw. */
function watchStacks(engine: Engine): ReadonlyMap<string, string> {
  const stacks = new Map<string, string>();
  engine.on((event) => {
    if (event.type === 'hook-ended' && event.stack !== undefined) {
      stacks.set(event.plugin, event.stack);
    }
  });
  return stacks;
}

function directoriesOf(engine: Engine): ReadonlyMap<string, string> {
  return new Map(engine.plugins().map(({ id, directory }) => [id, directory]));
}

function parseDialect(text: string): HookDialect {
  if (text === 'classic' || text === 'current') return text;
  throw usageError('--dialect', `--dialect takes classic or current, not ${JSON.stringify(text)}`);
}
