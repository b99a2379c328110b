import type { Command } from 'commander';
import { sentenceOf } from '../../index.js';
import { readJson } from '../arguments.js';
import type { RunCommand } from '../call.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { lockFileOf } from '../lock/options.js';
import type { CliPowers } from '../powers.js';
import { addPluginOptions, engineOptions, type PluginSettings } from '../settings.js';
import { jsonLine, visible } from '../visible.js';

interface TestSettings extends PluginSettings {
  readonly input?: string;
  readonly tenant?: string;
  readonly unattended?: boolean;
}

export function addRulesTest(rules: Command, run: RunCommand): void {
  const command = rules
    .command('test')
    .description('tell what would become of a call, and why, without running it')
    .argument('<tool>', "the tool's name, e.g. weather__weather")
    .argument('[plugin-dir...]', 'directories of plugins (default: those of the lock file)')
    .option('--input <JSON>', 'the input: JSON, @file, or - for standard input (default: {})')
    .option('--tenant <NAME>', 'for whom the call would be made')
    .option('--unattended', 'as a run that nobody attends');
  addPluginOptions(command)
    .option('--json', 'print one line of JSON')
    .action((tool: string, directories: string[], settings: TestSettings) =>
      run((powers) => testRules(tool, directories, settings, powers)),
    );
}

async function testRules(
  tool: string,
  directories: readonly string[],
  settings: TestSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const input = await readJson(settings.input ?? '{}', '--input', powers);
  const lock = directories.length === 0 ? { lock: lockFileOf(settings) } : {};
  const options = await engineOptions(directories, { ...settings, ...lock }, powers);
  await using engine = await powers.createEngine(options);
  const foreseen = engine.foresee(tool, input, {
    ...(settings.tenant === undefined ? {} : { tenant: settings.tenant }),
    unattended: settings.unattended ?? false,
  });
  const { verdict, why, rule } = foreseen;
  const { risk, riskWhy } = engine.catalog.find(tool) ?? {};
  await powers.stdout.write(
    settings.json === true
      ? jsonLine({ ok: true, tool, risk, riskWhy, ...foreseen })
      : [
          `${WORDS[verdict]}: ${visible(why)}`,
          `  risk  ${risk ?? ''} (${visible(riskWhy ?? '')})`,
          ...(rule === undefined ? [] : [`  rule  ${rule.id}: ${visible(sentenceOf(rule))}`]),
          '',
        ].join('\n'),
  );
  return EXIT.ok;
}

const WORDS = { run: 'it runs', ask: 'it asks', deny: 'it is refused' } as const;
