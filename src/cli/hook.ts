import type { Command } from 'commander';
import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { Engine } from '../agent/agent.js';
import type { HookReport } from '../engine/hooks/chain.js';
import type { EngineOptions } from '../engine/types/options.js';
import { HOOK_NAMES, type HookSemantics, isHookName } from '../plugin/hooks.js';
import { jsonLine, jsonLines, shellWord, visible } from '../visible.js';
import { parseMilliseconds, readJsonObject } from './arguments.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { type PluginSettings, addPluginOptions, engineOptions } from './engine-options.js';
import { describeDenied } from './denied.js';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { type Failure, failureOfPlugin, findEmpty, noPlugin, usageError } from './failure.js';
import { round } from './invoke.js';
import { formatTable } from './output.js';
import { errorBlock, reportFailure } from './report-failure.js';

export interface HookSettings extends PluginSettings {
  readonly context?: string;
  readonly semantics?: HookSemantics;
  readonly timeout?: number;
}

const HELP_AFTER = `
Hooks: ${HOOK_NAMES.join(', ')}.
Exit codes: 0 if the chain ran, also if a single hook failed; 1 for an unknown hook or an invalid
context; 4 if a plugin cannot be loaded.
`;

export function addHook(program: Command, run: RunCommand): void {
  const command = program
    .command('hook')
    .description('run a hook of plugins one after the other, and print the resulting context')
    .argument('<hook>', 'name of the hook, e.g. pre-model-call')
    .argument('<plugin-dir...>', 'directories of plugins')
    .option(
      '--context <JSON>',
      'context of the hook: a JSON object, @file, or - for standard input (default: {})',
    )
    .option(
      '--semantics <NAME>',
      'run all hooks with classic or current semantics (default: as each plugin declares)',
      parseSemantics,
    )
    .option(
      '--timeout <MS>',
      'deadline of each hook in milliseconds (default: 30000)',
      parseMilliseconds,
    );
  addPluginOptions(command)
    .option('--json', 'print one line of JSON on standard output, also for a failure')
    .addHelpText('after', HELP_AFTER)
    .action((hook: string, directories: string[], settings: HookSettings) =>
      run((capabilities) => runHook(hook, directories, settings, capabilities)),
    );
}

/** Runs the chain. A failure of one plugin is reported; the other plugins still run. */
async function runHook(
  hook: string,
  directories: readonly string[],
  settings: HookSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  requireHookFirst(hook, directories);
  const context = await readJsonObject(settings.context ?? '{}', '--context', capabilities);
  const options = await engineOptions(directories, settings, capabilities);
  await using engine = await capabilities.createEngine(withHooks(options, hook, settings));
  const failures = [
    ...engine.plugins().flatMap((status) => failureOfPlugin(status) ?? []),
    ...(await findEmpty(directories, engine.plugins(), capabilities)).map(noPlugin),
  ];
  const json = settings.json ?? false;
  const [failure] = failures;
  if (failure !== undefined && !engine.plugins().some(({ state }) => state === 'active')) {
    return reportFailure(failure, { json, durationMs: 0 }, capabilities);
  }
  const stacks = watchStacks(engine);
  const result = await runChain(engine, hook, context, settings, capabilities);
  if (json) {
    const problems = failure === undefined ? {} : { problems: failures };
    await capabilities.stdout.write(
      jsonLine({ ok: failure === undefined, ...result, ...problems }),
    );
  } else {
    await capabilities.stdout.write(`${jsonLines(result.context)}\n`);
    await printReports(
      result.reports,
      failures,
      { stacks, directories: directoriesOf(engine) },
      capabilities,
    );
  }
  return failure === undefined ? EXIT.ok : exitCodeOf(failure.code);
}

/** Refuses the arguments in the other order: the directory would be a hook that does not exist. */
function requireHookFirst(hook: string, directories: readonly string[]): void {
  const swapped = directories.find(isHookName);
  if (isHookName(hook) || swapped === undefined) return;
  const command = `bulkhead hook ${swapped} ${shellWord(hook)}`;
  throw usageError('hook', `the hook comes before the directories: ${command}`);
}

/** With the hook `init`, the engine does not run `init` at its start. */
function withHooks(options: EngineOptions, hook: string, settings: HookSettings): EngineOptions {
  const { semantics, timeout = 0 } = settings;
  const limits = timeout > DEFAULT_TIMEOUT_MS ? { hookTimeoutMs: timeout } : {};
  return {
    ...options,
    limits: { ...options.limits, ...limits },
    hooks: {
      ...(semantics === undefined ? {} : { semantics }),
      ...(hook === 'init' ? { init: 'first-use' } : {}),
    },
  };
}

const DEFAULT_TIMEOUT_MS = 30_000;

async function runChain(
  engine: Engine,
  hook: string,
  context: JsonObject,
  { semantics, timeout }: HookSettings,
  { interrupted }: CliCapabilities,
): Promise<{ readonly context: JsonObject; readonly reports: readonly HookReport[] }> {
  const result = await engine.hooks.run(hook, context, {
    signal: interrupted,
    ...(semantics === undefined ? {} : { semantics }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  });
  const reports = result.reports.map((report) => ({
    ...report,
    durationMs: round(report.durationMs),
  }));
  return { context: result.context, reports };
}

async function printReports(
  reports: readonly HookReport[],
  failures: readonly Failure[],
  about: {
    readonly stacks: ReadonlyMap<string, string>;
    readonly directories: ReadonlyMap<string, string>;
  },
  capabilities: CliCapabilities,
): Promise<void> {
  if (reports.length === 0) await capabilities.stderr.write('no plugin has this hook\n');
  else await capabilities.stderr.write(formatTable([HEADING, ...reports.map(row)]));
  const denied = reports.map((report) => [report.plugin, describeDenied(report.denied)] as const);
  for (const [plugin, text] of denied) {
    if (text !== '') await capabilities.stderr.write(`\n${visible(plugin)}: ${text}`);
  }
  const failed = reports.flatMap(({ plugin, error }) =>
    error === undefined ? [] : [failureOfHook(plugin, error, about.stacks.get(plugin))],
  );
  for (const failure of [...failed, ...failures]) {
    const directory = about.directories.get(failure.plugin ?? '');
    await capabilities.stderr.write(`\n${await errorBlock(failure, directory, capabilities)}`);
  }
}

const HEADING = ['PLUGIN', 'SEMANTICS', 'CHANGED', 'DROPPED', 'TIME', 'OUTCOME'];

function row({
  plugin,
  semantics,
  changed,
  dropped,
  durationMs,
  error,
  halted,
}: HookReport): string[] {
  const outcome = error === undefined ? 'ok' : error.code;
  return [
    visible(plugin),
    semantics,
    visible(changed.join(', ')) || '-',
    visible(dropped.join(', ')) || '-',
    `${durationMs} ms`,
    halted === true ? `${outcome}, the chain stopped` : outcome,
  ];
}

function failureOfHook(
  plugin: string,
  error: NonNullable<HookReport['error']>,
  stack: string | undefined,
): Failure {
  return { ...error, plugin, ...(stack === undefined ? {} : { stack }) };
}

/** The stack of the last failed hook of each plugin. */
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

function parseSemantics(text: string): HookSemantics {
  if (text === 'classic' || text === 'current') return text;
  throw usageError(
    '--semantics',
    `--semantics takes classic or current, not ${JSON.stringify(text)}`,
  );
}
