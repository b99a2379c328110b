import type { Command } from 'commander';
import { type CallAccount, explainCall } from '../audit/why.js';
import { isBulkheadError } from '../errors.js';
import { explainPermissions } from '../permissions/permissions.js';
import { visible } from '../visible.js';
import { DEFAULT_LOG, timeOf } from './audit.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { usageError } from './failure.js';
import { type Paint, makePaint, print } from './output.js';

export interface WhySettings {
  readonly file: string;
  readonly json?: boolean;
}

export function addWhy(program: Command, run: RunCommand): void {
  program
    .command('why')
    .description(
      'explain one call: its grant, its approvals, its uses and denials, and its outcome',
    )
    .argument('<call>', 'id of the call, call_…')
    .option('--file <FILE>', 'the audit log', DEFAULT_LOG)
    .option('--json', 'print one line of JSON')
    .action((call: string, settings: WhySettings) =>
      run((capabilities) => runWhy(call, settings, capabilities)),
    );
}

export async function runWhy(
  call: string,
  settings: WhySettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { stdout, readAudit } = capabilities;
  const account = await explainCall(readAudit(settings.file).query(), call);
  if (account === undefined) {
    throw usageError('call', `${settings.file} has no call ${call}`);
  }
  const paint = makePaint(stdout.colour);
  await print(settings, { stdout }, account, formatAccount(account, paint));
  return EXIT.ok;
}

const OUTCOMES: Readonly<Record<CallAccount['outcome'], string>> = {
  ok: 'succeeded',
  error: 'failed',
  refused: 'refused before it ran',
  open: 'no end in the log',
};

function formatAccount(account: CallAccount, paint: Paint): string {
  const { call, plugin, tool, grant, steps, outcome } = account;
  return [
    `${paint('bold', `${visible(plugin)} ${visible(tool)}`)}  ${visible(call)}: ${OUTCOMES[outcome]}`,
    ...(grant === undefined
      ? ['  the grant is not in this log']
      : [
          `  granted at ${timeOf(grant.atMs)}`,
          ...sentencesOf(grant).map((sentence) => `    ${visible(sentence)}`),
        ]),
    ...steps.map(
      ({ record, text, sure }) =>
        `  ${paint('dim', timeOf(record.atMs))}  ${visible(text)}${sure ? '' : paint('dim', '  (or another call of this plugin)')}`,
    ),
    '',
  ].join('\n');
}

/** A log may contain text that is not a permission; such a grant is shown as JSON. */
function sentencesOf({ granted }: NonNullable<CallAccount['grant']>): string[] {
  try {
    return explainPermissions(granted);
  } catch (error) {
    if (isBulkheadError(error) || error instanceof TypeError) return [JSON.stringify(granted)];
    throw error;
  }
}
