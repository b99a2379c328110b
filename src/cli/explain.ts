import type { Command } from 'commander';
import type { RunCommand } from './call.js';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { areas, explanationOf, isFailureCode } from './explanations/table.js';
import { usageError } from './failure.js';
import { makePaint } from './paint.js';
import type { CliPowers } from './powers.js';
import { formatTable } from './table.js';
import { jsonLine } from './visible.js';

export interface ExplainSettings {
  readonly json?: boolean;
}

export function addExplain(program: Command, run: RunCommand): void {
  program
    .command('explain')
    .description('tell what an error code means and what to do about it; without a code, list all')
    .argument('[code]', 'e.g. NETWORK_DENIED')
    .option('--json', 'print one line of JSON')
    .action((code: string | undefined, settings: ExplainSettings) =>
      run((powers) => runExplain(code, settings, powers)),
    );
}

export async function runExplain(
  code: string | undefined,
  settings: ExplainSettings,
  { stdout }: Pick<CliPowers, 'stdout'>,
): Promise<ExitCode> {
  const paint = makePaint(stdout.colour);
  if (code === undefined) {
    const lists = Object.entries(areas).map(([area, codes]) => {
      const rows = Object.entries(codes).map(([name, { title }]) => [`  ${name}`, title]);
      return `${paint('bold', area)}\n${formatTable(rows)}`;
    });
    await stdout.write(settings.json === true ? jsonLine(areas) : lists.join('\n'));
    return EXIT.ok;
  }
  const name = code.toUpperCase();
  if (!isFailureCode(name)) {
    throw usageError('code', `there is no error code ${code}; \`bulkhead explain\` lists them all`);
  }
  const explanation = explanationOf(name);
  const { title, meaning, remedy } = explanation;
  await stdout.write(
    settings.json === true
      ? jsonLine({ code: name, exitCode: exitCodeOf(name), ...explanation })
      : `${paint('bold', name)}  ${title}\n\n${meaning}\n\n${remedy}\n\nExit code of a command that fails with it: ${exitCodeOf(name)}.\n`,
  );
  return EXIT.ok;
}
