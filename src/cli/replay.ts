import type { Command } from 'commander';
import type { ReplayVerdict } from '../index.js';
import { parseMilliseconds } from './arguments.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { usageError } from './failure.js';
import { makePaint, type Paint } from './paint.js';
import type { CliPowers } from './powers.js';
import type { RunCommand } from './call.js';
import { engineOptions } from './settings.js';
import { jsonLine, visible } from './visible.js';

export interface ReplaySettings {
  readonly timeout?: number;
  readonly json?: boolean;
}

export function addReplay(program: Command, run: RunCommand): void {
  program
    .command('replay')
    .description('run a recorded call again on what was recorded, and show the first difference')
    .argument('<record>', 'a file that `bulkhead call --record` wrote')
    .option('--timeout <MS>', 'how long each step may take (default: 10000)', parseMilliseconds)
    .option('--json', 'print one line of JSON')
    .action((file: string, settings: ReplaySettings) =>
      run((powers) => runReplay(file, settings, powers)),
    );
}

export async function runReplay(
  file: string,
  settings: ReplaySettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const { stdout } = powers;
  const record = await readRecord(file, powers);
  await using engine = await powers.createEngine(await engineOptions([], {}, powers));
  const verdict = await engine.replay(
    record,
    settings.timeout === undefined ? {} : { timeoutMs: settings.timeout },
  );
  const text = tellVerdict(verdict, makePaint(stdout.colour));
  await stdout.write(settings.json === true ? jsonLine(verdict) : text);
  return verdict.same ? EXIT.ok : EXIT.findings;
}

async function readRecord(file: string, { readFile }: CliPowers): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usageError('record', `${file} cannot be read as a record: ${why}`);
  }
}

function tellVerdict(verdict: ReplayVerdict, paint: Paint): string {
  if (verdict.same) return `${paint('green', 'same')}  ${verdict.frames} frames, bit for bit\n`;
  const { at, expected, actual } = verdict;
  return [
    `${paint('red', 'DIFFERENT')}  at frame ${at}`,
    `  recorded  ${tell(expected)}`,
    `  now       ${tell(actual)}`,
    '',
  ].join('\n');
}

type Told = Extract<ReplayVerdict, { readonly same: false }>;

function tell(frame: Told['expected'] | Told['actual']): string {
  if ('silence' in frame) return `nothing, for ${frame.silence} ms`;
  if ('end' in frame) return `the guest ended: ${visible(frame.end)}`;
  if ('bytes' in frame) return `bytes of stream ${frame.stream}: ${shorten(frame.bytes)}`;
  const { message } = frame;
  switch (message.t) {
    case 'request':
      return `asked for ${visible(message.m)} ${shorten(JSON.stringify(message.p))}`;
    case 'reply':
      return `answered ${shorten(JSON.stringify(message.v))}`;
    case 'failure':
      return `failed: ${shorten(message.e.message)}`;
    case 'notice':
      return `said ${visible(message.m)} ${shorten(JSON.stringify(message.p))}`;
    default:
      return shorten(JSON.stringify(message));
  }
}

const MAX_SHOWN = 300;

function shorten(text: string): string {
  return visible(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}
