import type { Command } from 'commander';
import { type CallAccount, explainCall, explainPermissions, isBulkheadError } from '../../index.js';
import type { RunCommand } from '../call.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { makePaint, type Paint } from '../paint.js';
import type { CliPowers } from '../powers.js';
import { jsonLine, visible } from '../visible.js';
import { timeOf } from './audit.js';
import { USUAL_LOG } from './settings.js';

export interface WhySettings {
  readonly file: string;
  readonly json?: boolean;
}

export function addWhy(program: Command, run: RunCommand): void {
  program
    .command('why')
    .description('account for one call: what was granted, asked, done, refused, and how it ended')
    .argument('<call>', 'its id, call_…')
    .option('--file <FILE>', 'the audit log', USUAL_LOG)
    .option('--json', 'print one line of JSON')
    .action((call: string, settings: WhySettings) =>
      run((powers) => runWhy(call, settings, powers)),
    );
}

export async function runWhy(
  call: string,
  settings: WhySettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const { stdout, readAudit } = powers;
  const account = await explainCall(readAudit(settings.file).query(), call);
  if (account === undefined) {
    throw usageError('call', `${settings.file} has no call ${call}`);
  }
  const paint = makePaint(stdout.colour);
  await stdout.write(settings.json === true ? jsonLine(account) : tellAccount(account, paint));
  return EXIT.ok;
}

const OUTCOMES: Readonly<Record<CallAccount['outcome'], string>> = {
  ok: 'it ended well',
  error: 'it failed',
  refused: 'it never ran',
  open: 'the log has no end of it',
};

function tellAccount(account: CallAccount, paint: Paint): string {
  const { call, plugin, tool, grant, steps, outcome } = account;
  return [
    `${paint('bold', `${visible(plugin)} ${visible(tool)}`)}  ${visible(call)}: ${OUTCOMES[outcome]}`,
    ...(grant === undefined
      ? ['  what it was granted is not in this log']
      : [
          `  it was granted, at ${timeOf(grant.atMs)}`,
          ...sentencesOf(grant).map((sentence) => `    ${visible(sentence)}`),
        ]),
    ...steps.map(
      ({ record, text, sure }) =>
        `  ${paint('dim', timeOf(record.atMs))}  ${visible(text)}${sure ? '' : paint('dim', '  (or another call of it)')}`,
    ),
    '',
  ].join('\n');
}

/** What a log says was granted is read as any stranger's word: a text that is none is shown as it is. */
function sentencesOf({ granted }: NonNullable<CallAccount['grant']>): string[] {
  try {
    return explainPermissions(granted);
  } catch (error) {
    if (isBulkheadError(error) || error instanceof TypeError) return [JSON.stringify(granted)];
    throw error;
  }
}
