import type { Command } from 'commander';
import { describeFrame, type DifferingFrame } from '../engine/recording/describe-frame.js';
import type { ReplayVerdict } from '../engine/recording/replay.js';
import { parseMilliseconds, readJsonFile } from './arguments.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { engineOptions, TRUST_PLACE } from './engine-options.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { type Failure, failureOfPlugin, noPlugin, usageError } from './failure.js';
import { reportFailure } from './report-failure.js';
import type { PluginStatus } from '../engine/types/status.js';
import { type Paint, makePaint, print, shorten } from './output.js';

export interface ReplaySettings {
  readonly lock?: string;
  readonly trust?: string;
  readonly plugin?: string;
  readonly timeout?: number;
  readonly json?: boolean;
}

export function addReplay(program: Command, run: RunCommand): void {
  program
    .command('replay')
    .description('run a recorded call again from its recording, and show the first difference')
    .argument('<recording>', 'file that `bulkhead call --record` wrote')
    .option('--lock <FILE>', 'replay only code of a version that this lock file accepts')
    .option('--trust <FILE>', `file of required and revoked keys, for --lock (${TRUST_PLACE})`)
    .option(
      '--timeout <MS>',
      'deadline of each step in milliseconds (default: 10000)',
      parseMilliseconds,
    )
    .option(
      '--plugin <DIR>',
      'run the current code of this plugin in place of the recorded code, as a regression test',
    )
    .option('--json', 'print one line of JSON')
    .addHelpText('after', HELP)
    .action((file: string, settings: ReplaySettings) =>
      run((capabilities) => runReplay(file, settings, capabilities)),
    );
}

const HELP = `
Exits with 0 if the plugin did the same, and with 2 if it did not.

Examples:
  bulkhead call ./my-weather temperature --input @oslo.json --record oslo.recording
  bulkhead replay oslo.recording
  bulkhead replay oslo.recording --plugin ./my-weather
`;

export async function runReplay(
  file: string,
  settings: ReplaySettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { stdout } = capabilities;
  const recording = await readJsonFile(file, 'recording', capabilities);
  const { lock, trust, plugin, timeout } = settings;
  if (plugin !== undefined && lock !== undefined) {
    throw usageError('--plugin', '--plugin runs code that is not accepted. Leave out --lock.');
  }
  const locked = {
    ...(lock === undefined ? {} : { lock }),
    ...(trust === undefined ? {} : { trust }),
  };
  await using engine = await capabilities.createEngine(
    await engineOptions(plugin === undefined ? [] : [plugin], locked, capabilities),
  );
  const broken = plugin === undefined ? undefined : brokenPlugin(plugin, engine.plugins());
  if (broken !== undefined) {
    const about = { json: settings.json === true, durationMs: 0, directory: plugin ?? '' };
    return reportFailure(broken, about, capabilities);
  }
  const verdict = await engine.replay(recording, {
    current: plugin !== undefined,
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  });
  const text = formatVerdict(verdict, makePaint(stdout.colour));
  await print(settings, { stdout }, verdict, text);
  return verdict.same ? EXIT.ok : EXIT.findings;
}

function brokenPlugin(directory: string, plugins: readonly PluginStatus[]): Failure | undefined {
  const [status] = plugins;
  return status === undefined ? noPlugin(directory) : failureOfPlugin(status);
}

function formatVerdict(verdict: ReplayVerdict, paint: Paint): string {
  if (verdict.same) return `${paint('green', 'same')}  ${verdict.frames} frames\n`;
  const { at, expected, actual } = verdict;
  return [
    `${paint('red', 'DIFFERENT')}  at frame ${at}`,
    `  recorded  ${formatFrame(expected)}`,
    `  now       ${formatFrame(actual)}`,
    '',
  ].join('\n');
}

function formatFrame(frame: DifferingFrame): string {
  return describeFrame(frame, (content) => shorten(content, MAX_SHOWN));
}

const MAX_SHOWN = 300;
