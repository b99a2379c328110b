import type { Command } from 'commander';
import type { ReplayVerdict } from '../engine/recording/replay.js';
import { visible } from '../visible.js';
import { parseMilliseconds, readJsonFile } from './arguments.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { engineOptions, TRUST_PLACE } from './engine-options.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { type Paint, makePaint, print, shorten } from './output.js';

export interface ReplaySettings {
  readonly lock?: string;
  readonly trust?: string;
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
    .option('--json', 'print one line of JSON')
    .action((file: string, settings: ReplaySettings) =>
      run((capabilities) => runReplay(file, settings, capabilities)),
    );
}

export async function runReplay(
  file: string,
  settings: ReplaySettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { stdout } = capabilities;
  const recording = await readJsonFile(file, 'recording', capabilities);
  const { lock, trust } = settings;
  const locked = {
    ...(lock === undefined ? {} : { lock }),
    ...(trust === undefined ? {} : { trust }),
  };
  await using engine = await capabilities.createEngine(
    await engineOptions([], locked, capabilities),
  );
  const verdict = await engine.replay(
    recording,
    settings.timeout === undefined ? {} : { timeoutMs: settings.timeout },
  );
  const text = formatVerdict(verdict, makePaint(stdout.colour));
  await print(settings, { stdout }, verdict, text);
  return verdict.same ? EXIT.ok : EXIT.findings;
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

type Difference = Extract<ReplayVerdict, { readonly same: false }>;

function formatFrame(frame: Difference['expected'] | Difference['actual']): string {
  if ('silence' in frame) return `nothing for ${frame.silence} ms`;
  if ('end' in frame) return `the guest ended: ${visible(frame.end)}`;
  if ('bytes' in frame)
    return `bytes of stream ${frame.stream}: ${shorten(frame.bytes, MAX_SHOWN)}`;
  const { message } = frame;
  switch (message.t) {
    case 'request':
      return `requested ${visible(message.m)} ${shorten(JSON.stringify(message.p), MAX_SHOWN)}`;
    case 'reply':
      return `replied ${shorten(JSON.stringify(message.v), MAX_SHOWN)}`;
    case 'failure':
      return `failed: ${shorten(message.e.message, MAX_SHOWN)}`;
    case 'notice':
      return `sent ${visible(message.m)} ${shorten(JSON.stringify(message.p), MAX_SHOWN)}`;
    default:
      return shorten(JSON.stringify(message), MAX_SHOWN);
  }
}

const MAX_SHOWN = 300;
