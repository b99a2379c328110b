import type { Command } from 'commander';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.js';
import { areas, explanationOf, isFailureCode } from './explanations/table.js';
import { usageError } from './failure.js';
import { formatTable, makePaint, print } from './output.js';
import { argumentWithValues } from './completion/with-values.js';

export interface ExplainSettings {
  readonly json?: boolean;
}

export function addExplain(program: Command, run: RunCommand): void {
  program
    .command('explain')
    .description('explain an error code and how to fix it; without a code, list all codes')
    .addArgument(
      argumentWithValues(
        '[code]',
        'the error code, e.g. NETWORK_DENIED',
        Object.values(areas).flatMap((codes) => Object.keys(codes)),
      ),
    )
    .option('--json', 'print one line of JSON')
    .action((code: string | undefined, settings: ExplainSettings) =>
      run((capabilities) => runExplain(code, settings, capabilities)),
    );
}

export async function runExplain(
  code: string | undefined,
  settings: ExplainSettings,
  { stdout }: Pick<CliCapabilities, 'stdout'>,
): Promise<ExitCode> {
  const paint = makePaint(stdout.colour);
  if (code === undefined) {
    const lists = Object.entries(areas).map(([area, codes]) => {
      const rows = Object.entries(codes).map(([name, { title }]) => [`  ${name}`, title]);
      return `${paint('bold', area)}\n${formatTable(rows)}`;
    });
    await print(settings, { stdout }, areas, lists.join('\n'));
    return EXIT.ok;
  }
  const name = code.toUpperCase();
  if (!isFailureCode(name)) {
    throw usageError('code', `${code} is not an error code; \`bulkhead explain\` lists all codes`);
  }
  const explanation = explanationOf(name);
  const { title, meaning, remedy } = explanation;
  await print(
    settings,
    { stdout },
    { code: name, exitCode: exitCodeOf(name), ...explanation },
    `${paint('bold', name)}  ${title}\n\n${meaning}\n\n${remedy}\n\nExit code of the command: ${exitCodeOf(name)}.\n`,
  );
  return EXIT.ok;
}
