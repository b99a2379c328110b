import type { Command } from 'commander';
import type { CallRecord, EngineOptions } from '../index.js';
import { parseMilliseconds, readJson, readJsonObject } from './arguments.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { invoke, outcomeLine } from './invoke.js';
import { makePaint } from './paint.js';
import type { CliPowers } from './powers.js';
import { keepRecord } from './keep-record.js';
import { tellRehearsal } from './rehearsal.js';
import { reportFailure } from './report.js';
import { addPluginOptions, engineOptions, type PluginSettings } from './settings.js';
import { jsonLine, jsonLines, visibleLines } from './visible.js';

export interface CallSettings extends PluginSettings {
  readonly input?: string;
  readonly context?: string;
  readonly timeout?: number;
  readonly record?: string;
  readonly rehearse?: boolean;
}

export function addCall(program: Command, run: RunCommand): void {
  const command = program
    .command('call')
    .description('run one tool of a plugin, with the permissions that its manifest declares')
    .argument('<plugin-dir>', 'directory of the plugin')
    .argument('<tool>', "the tool's name")
    .option('--input <JSON>', 'the input: JSON, @file, or - for standard input (default: {})')
    .option('--context <JSON>', 'what the host would tell the tool: a JSON object, or @file')
    .option(
      '--timeout <MS>',
      "a deadline; the tool's own holds where it is shorter",
      parseMilliseconds,
    );
  addPluginOptions(command)
    .option('--record <FILE>', 'keep what crosses the boundary, for `bulkhead replay`')
    .option('--rehearse', 'stop and list what it would change, in place of doing it')
    .option('--yes', 'approve what would ask')
    .option('--json', 'print one line of JSON on standard output, whatever happens')
    .action((directory: string, tool: string, settings: CallSettings) =>
      run((powers) => runCall(directory, tool, settings, powers)),
    );
}

export type RunCommand = (
  command: (powers: CliPowers) => Promise<ExitCode>,
  /** Whether an interruption is how it ends, and no failure. Default: false. */
  options?: { readonly endsWhenInterrupted?: boolean },
) => Promise<void>;

export async function runCall(
  directory: string,
  tool: string,
  settings: CallSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const input = await readJson(settings.input ?? '{}', '--input', powers);
  const context =
    settings.context === undefined
      ? undefined
      : await readJsonObject(settings.context, '--context', powers);
  const options = await engineOptions([directory], settings, powers);
  await using engine = await powers.createEngine(withTimeout(options, settings.timeout));
  const written: Promise<void>[] = [];
  let record: CallRecord | undefined;
  const outcome = await invoke(
    engine,
    {
      directory,
      tool,
      input,
      keep: (kept) => {
        record = kept;
      },
    },
    {
      signal: powers.interrupted,
      record: settings.record !== undefined,
      ...(settings.rehearse === true ? { rehearse: true } : {}),
      ...(settings.timeout === undefined ? {} : { timeoutMs: settings.timeout }),
      ...(context === undefined ? {} : { context }),
      onOutput: (chunk) => written.push(powers.stderr.write(visibleLines(chunk))),
    },
    powers.now,
  );
  if (settings.record !== undefined && record !== undefined) {
    await keepRecord(record, settings.record, powers);
  }
  await Promise.all(written);
  await tellRehearsal(outcome, settings, powers);
  const json = settings.json ?? false;
  if (!outcome.ok) {
    const { failure, durationMs } = outcome;
    return reportFailure(failure, { json, durationMs, directory }, powers);
  }
  const { shown } = outcome;
  await powers.stdout.write(
    json
      ? jsonLine(outcomeLine(outcome))
      : `${typeof shown === 'string' ? visibleLines(shown) : jsonLines(shown)}\n`,
  );
  if (!json && powers.stderr.isTerminal) {
    const paint = makePaint(powers.stderr.colour);
    await powers.stderr.write(`${paint('green', 'ok')}  ${outcome.durationMs} ms\n`);
  }
  return EXIT.ok;
}

/** Whoever gives a deadline by hand may give one beyond what engines allow unasked. */
function withTimeout(options: EngineOptions, timeoutMs: number | undefined): EngineOptions {
  return timeoutMs === undefined || timeoutMs <= USUAL_TIMEOUT_MS
    ? options
    : { ...options, limits: { ...options.limits, timeoutMs } };
}

const USUAL_TIMEOUT_MS = 60_000;
