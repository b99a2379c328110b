import type { Command } from 'commander';
import { LONGEST_TIMER_MS } from '../engine/types/limits.js';
import type { Engine } from '../engine/engine-api.js';
import type { EngineOptions, Logger } from '../engine/types/options.js';
import type { CallRecording } from '../engine/types/recording.js';
import type { StoppedEffect } from '../engine/types/result.js';
import { dryRunTitle } from '../report/dry-run-title.js';
import { jsonLines, visible, visibleLines } from '../visible.js';
import { parseMilliseconds, readJson, readJsonObject } from './arguments.js';
import type { CliCapabilities } from './capabilities.js';
import { inspectorOption, parseInspectorPort } from './inspector.js';
import { addPluginOptions, engineOptions, type PluginSettings } from './engine-options.js';
import { placeOfPlugin } from './named-plugins.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { describeDenied } from './denied.js';
import { reasonOf, usageError } from './failure.js';
import { type Outcome, invoke, outcomeLine } from './invoke.js';
import { explainMissingNetwork } from './missing-network.js';
import { makePaint, print } from './output.js';
import { placeFailure } from './place-failure.js';
import { reportFailure } from './report-failure.js';
import { checkFilesPath, saveFiles } from './save-files.js';
import { describeUnsetVariables } from './unset-variables.js';

export interface CallSettings extends PluginSettings {
  readonly input?: string;
  readonly context?: string;
  readonly timeout?: number;
  readonly record?: string;
  readonly dryRun?: boolean;
  readonly ask?: boolean;
  readonly approval?: string;
  readonly files?: string;
  /** `true`: the usual port. */
  readonly inspect?: number | true;
}

export function addCall(program: Command, run: RunCommand): void {
  const command = program
    .command('call')
    .description('run one tool of a plugin, with the permissions that its manifest declares')
    .argument('<plugin-dir>', 'directory of the plugin, or with --lock its id')
    .argument('<tool>', 'name of the tool')
    .option('--input <JSON>', 'the input: JSON, @file, or - for standard input (default: {})')
    .option(
      '--context <JSON>',
      'the context that the host passes to the tool: a JSON object, or @file (default: none)',
    )
    .option(
      '--timeout <MS>',
      "deadline in milliseconds; the tool's own deadline applies if it is shorter (default: 60000)",
      parseMilliseconds,
    );
  addPluginOptions(command)
    .option('--record <FILE>', 'write a recording of the call to this file, for `bulkhead replay`')
    .option(
      '--files <DIR>',
      'save the files that the tool made in this directory, which must be new or empty (default: not saved)',
    )
    .option(
      '--inspect [PORT]',
      'wait for a debugger at this port of 127.0.0.1 and stop where it says; the plugin then runs without some walls and without deadlines; 0 picks a free port (default: no debugger; without PORT 9229)',
      parseInspectorPort,
    )
    .option('--dry-run', 'list the changes that the tool would make; do not make them')
    .option('--yes', 'approve every call that requires approval')
    .option(
      '--ask',
      'do not run the tool; store a question about this call and print its id, for `bulkhead approvals`',
    )
    .option('--approval <ID>', 'run with this approval, which `--ask` requested (default: none)')
    .option('--json', 'print one line of JSON on standard output, also for a failure')
    .action((directory: string, tool: string, settings: CallSettings) =>
      run((capabilities) => runCall(directory, tool, settings, capabilities)),
    );
}

export type RunCommand = (
  /** Answers the exit code of the process: one of `EXIT`, or that of a program that it ran. */
  command: (capabilities: CliCapabilities) => Promise<number>,
  /** Whether an interruption is the normal end of the command, not a failure. Default: false. */
  options?: { readonly endsWhenInterrupted?: boolean },
) => Promise<void>;

export async function runCall(
  named: string,
  tool: string,
  settings: CallSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const input = await readJson(settings.input ?? '{}', '--input', capabilities);
  const context =
    settings.context === undefined
      ? undefined
      : await readJsonObject(settings.context, '--context', capabilities);
  if (settings.record !== undefined) await checkRecordPath(settings.record, capabilities);
  if (settings.files !== undefined) await checkFilesPath(settings.files, capabilities);
  const warnings: string[] = [];
  const directory = await placeOfPlugin(named, settings, capabilities);
  const given = await engineOptions([directory], settings, capabilities);
  const options = {
    ...given,
    ...(given.logger === undefined ? {} : { logger: collecting(given.logger, warnings) }),
    ...inspectorOption(settings, capabilities),
  };
  await using engine = await capabilities.createEngine(withTimeout(options, settings.timeout));
  if (settings.ask === true) {
    const approval = await engine.approvals.request(tool, input, {
      asker: `bulkhead call by ${capabilities.operator}`,
      ...(context === undefined ? {} : { context }),
    });
    const json = settings.json ?? false;
    await print({ json }, capabilities, { ok: true, approval }, `${approval}\n`);
    return EXIT.ok;
  }
  const written: Promise<void>[] = [];
  let recording: CallRecording | undefined;
  const outcome = await invoke(
    engine,
    {
      directory,
      tool,
      input,
      onRecording: (made) => {
        recording = made;
      },
    },
    {
      signal: capabilities.interrupted,
      record: settings.record !== undefined,
      ...(settings.dryRun === true ? { dryRun: true } : {}),
      ...timeoutOf(settings),
      ...(settings.approval === undefined ? {} : { approval: settings.approval }),
      ...(context === undefined ? {} : { context }),
      onOutput: (chunk) => written.push(capabilities.stderr.write(visibleLines(chunk))),
    },
    capabilities.now,
  );
  if (settings.record !== undefined && recording !== undefined) {
    await writeRecording(recording, settings.record, capabilities);
  }
  await Promise.all(written);
  await formatDryRun(outcome, engine, tool, settings, capabilities);
  const { callId } = outcome;
  const json = settings.json ?? false;
  const faults = [...faultsOf(engine, tool), ...(await misspeltKeys(directory, capabilities))];
  if (!json && outcome.callId !== undefined) {
    for (const fault of faults) await capabilities.stderr.write(`warning  ${visible(fault)}\n`);
  }
  const [plugin] = engine.plugins();
  const files =
    settings.files === undefined || callId === undefined || plugin === undefined
      ? undefined
      : await saveFiles(engine.files(plugin.id, { callId }), settings.files, capabilities);
  const denied = json ? '' : describeDenied(outcome.denied);
  if (denied !== '') await capabilities.stderr.write(denied);
  // For an author at a terminal: it takes as long as a build.
  if (!json && capabilities.stderr.isTerminal && callId !== undefined) {
    const unset = await describeUnsetVariables(engine, directory, options, capabilities);
    if (unset !== '') await capabilities.stderr.write(unset);
  }
  if (!outcome.ok) {
    const { durationMs, denied: refused } = outcome;
    const of = { directory, tool, denied: refused };
    const placed = await placeFailure(outcome.failure, of, capabilities);
    const failure = await explainMissingNetwork(placed, engine, of, capabilities);
    const about = { json, durationMs, directory, denied: refused, problems: faults };
    return reportFailure(failure, about, capabilities);
  }
  const { shown } = outcome;
  await print(
    { json },
    capabilities,
    {
      ...outcomeLine(outcome),
      ...(files === undefined ? {} : { files }),
      ...(faults.length === 0 ? {} : { problems: faults }),
      ...(warnings.length === 0 ? {} : { warnings }),
    },
    `${typeof shown === 'string' ? visibleLines(shown) : jsonLines(shown)}\n`,
  );
  if (!json && capabilities.stderr.isTerminal) {
    const paint = makePaint(capabilities.stderr.colour);
    await capabilities.stderr.write(`${paint('green', 'ok')}  ${outcome.durationMs} ms\n`);
  }
  return EXIT.ok;
}

/** Warnings that the JSON of a result has. A plugin may write more. */
const MAX_WARNINGS = 20;

/** A logger that also collects what a call warns about, such as parts of its result that JSON cannot carry. */
function collecting(logger: Logger, warnings: string[]): Logger {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    error: (fields, message) => logger.error(fields, message),
    warn: (fields, message) => {
      if (warnings.length < MAX_WARNINGS) warnings.push(message);
      logger.warn(fields, message);
    },
  };
}

/** Mistakes in the manifest, and about the tool, of a plugin that runs without what they are about. */
function faultsOf(engine: Engine, tool: string): readonly string[] {
  return engine
    .plugins()
    .flatMap(({ state, problems }) => (state === 'active' ? problems : []))
    .filter(
      ({ code, toolId, message }) =>
        code === 'INVALID_MANIFEST' || toolId === tool || isAbout(message, tool),
    )
    .map(({ message }) => message);
}

/** Keys of the manifest that are probably misspelt: without what they say, the call may fail. */
async function misspeltKeys(
  directory: string,
  { findMisspeltKeys }: Pick<CliCapabilities, 'findMisspeltKeys'>,
): Promise<readonly string[]> {
  const found = await findMisspeltKeys(directory).catch(() => []);
  return found.map(
    ({ file, line, column, message, fix }) => `${file}:${line}:${column}: ${message} ${fix}`,
  );
}

/** A key of the tool that is probably misspelt, or a part of the tool's own file that is not read as it is written. */
function isAbout(message: string, tool: string): boolean {
  const [, stem] = /^(?:[^\s:]*\/)?([^\s:/]+)\.[cm]?[jt]sx?: /.exec(message) ?? [];
  if (stem === tool) return true;
  return message.startsWith(`tool ${JSON.stringify(tool)}: `) && message.includes(' is not read. ');
}

/** `--timeout` may be longer than the engine's default limit. */
function withTimeout(options: EngineOptions, timeoutMs: number | undefined): EngineOptions {
  return timeoutMs === undefined || timeoutMs <= DEFAULT_TIMEOUT_MS
    ? options
    : { ...options, limits: { ...options.limits, timeoutMs } };
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** A person who debugs needs longer than the default of any system. */
function timeoutOf({ timeout, inspect }: CallSettings): { readonly timeoutMs?: number } {
  if (inspect !== undefined) return { timeoutMs: LONGEST_TIMER_MS };
  return timeout === undefined ? {} : { timeoutMs: timeout };
}

/** Prints what a tool chose to do in a dry run. It may choose otherwise in a real one. */
export async function formatDryRun(
  { dryRun }: Outcome,
  { catalog }: Pick<Engine, 'catalog'>,
  tool: string,
  { json = false }: { readonly json?: boolean },
  { stderr }: Pick<CliCapabilities, 'stderr'>,
): Promise<void> {
  if (dryRun === undefined || json) return;
  const title = dryRunTitle(dryRun, catalog.find(tool)?.annotations);
  const lines = [`dry run: ${title}`, ...dryRun.flatMap(linesOf)];
  await stderr.write(`${lines.join('\n')}\n`);
}

function linesOf(effect: StoppedEffect): string[] {
  switch (effect.permission) {
    case 'network': {
      const { method, url, body, reads } = effect;
      return [
        `  ${reads === true ? 'read' : 'send'} ${visible(method)} ${visible(url)}`,
        ...(body === undefined ? [] : body.split('\n').map((line) => `      ${line}`)),
      ];
    }
    case 'storage':
      return [`  change its storage: ${visible(effect.operation)} ${visible(effect.path)}`];
    case 'fs':
      return [`  change a file: ${visible(effect.operation)} ${visible(effect.path)}`];
    case 'powers':
      return [`  use the host's power ${visible(effect.power)}`];
  }
}

/** Before the tool runs: its effects cannot be undone if the recording cannot be written. */
export async function checkRecordPath(
  file: string,
  { checkWritable }: Pick<CliCapabilities, 'checkWritable'>,
): Promise<void> {
  // guard: record-path-checked-first
  await checkWritable(file).catch((error: unknown) => {
    throw usageError(
      '--record',
      `--record cannot write ${visible(file)}: ${reasonOf(error)}; name a file`,
    );
  });
}

/** Writes the recording of a call to a file. */
export async function writeRecording(
  recording: CallRecording,
  file: string,
  { writeFile, stderr }: Pick<CliCapabilities, 'writeFile' | 'stderr'>,
): Promise<void> {
  await writeFile(file, `${JSON.stringify(recording)}\n`);
  const cut = recording.complete ? '' : ' (incomplete: the recording reached its size limit)';
  await stderr.write(
    `recorded ${recording.frames.length} frames into ${visible(file)}${cut}. The file contains everything that the plugin received, including variables.\n`,
  );
}
