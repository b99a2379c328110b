import type { Command } from 'commander';
import type { Rule } from '../../index.js';
import { sentenceOf } from '../../index.js';
import { collect } from '../arguments.js';
import type { RunCommand } from '../call.js';
import { RULES_PLACE, rulesFileOf } from '../consent.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageError } from '../failure.js';
import type { CliPowers } from '../powers.js';
import { formatTable } from '../table.js';
import { jsonLine, visible } from '../visible.js';
import { addRulesTest } from './test.js';
import { conditionsOf } from './when.js';

interface RulesSettings {
  readonly rules?: string;
  readonly json?: boolean;
}

interface AddSettings extends RulesSettings {
  readonly when?: readonly string[];
  readonly bundle?: string;
  readonly tenant?: string;
  readonly until?: string;
  readonly reason?: string;
}

/** What somebody decided for later: seen, added, tried and taken back. */
export function addRules(program: Command, run: RunCommand): void {
  const rules = program
    .command('rules')
    .description('show, try, add and take back the rules that decide before anybody is asked');
  withFile(rules.command('list').description('show all rules, most recent last')).action(
    (settings: RulesSettings) => run((powers) => listRules(settings, powers)),
  );
  withFile(
    rules
      .command('add')
      .description('add a rule; an allow never answers for what is of high risk')
      .argument('<verdict>', 'allow, ask or deny')
      .argument('<tool>', 'plugin:tool, plugin:* or *')
      .option('--when <PATH=VALUE>', 'a member of the input: city=Oslo, or path^=/tmp/', collect)
      .option('--bundle <HASH>', 'the code that an allow is for, or * for whatever it becomes')
      .option('--tenant <NAME>', 'for whom; * for anybody')
      .option('--until <TIME>', 'when it ends, e.g. 2027-01-01')
      .option('--reason <TEXT>', 'why, for whoever reads it later'),
  ).action((verdict: string, tool: string, settings: AddSettings) =>
    run((powers) => addRule(verdict, tool, settings, powers)),
  );
  withFile(
    rules
      .command('remove')
      .description('take a rule back: the next call is decided without it')
      .argument('<id>', 'as `rules list` shows it'),
  ).action((id: string, settings: RulesSettings) =>
    run((powers) => removeRule(id, settings, powers)),
  );
  addRulesTest(rules, run);
}

function withFile(command: Command): Command {
  return command
    .option('--rules <FILE>', `the file of rules (${RULES_PLACE})`)
    .option('--json', 'print one line of JSON');
}

async function listRules(settings: RulesSettings, powers: CliPowers): Promise<ExitCode> {
  const rules = bookOf(settings, powers).list();
  await powers.stdout.write(
    settings.json === true
      ? jsonLine({ ok: true, rules })
      : formatTable([['ID', 'RULE', 'BY', 'REASON'], ...rules.map(row)]),
  );
  return EXIT.ok;
}

function row(rule: Rule): string[] {
  return [rule.id, sentenceOf(rule), rule.by ?? '', rule.reason ?? ''].map(visible);
}

async function addRule(
  verdict: string,
  tool: string,
  settings: AddSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  if (verdict !== 'allow' && verdict !== 'ask' && verdict !== 'deny') {
    throw usageError('verdict', `a rule is allow, ask or deny, not ${verdict}`);
  }
  const { bundle, tenant, until, reason, when = [] } = settings;
  if (verdict === 'allow' && bundle === undefined) {
    throw usageError(
      '--bundle',
      'an allow is for the code that somebody looked at: name it with --bundle HASH (see `bulkhead inspect`), or write --bundle "*" for whatever that code becomes',
    );
  }
  if (until !== undefined && Number.isNaN(Date.parse(until))) {
    throw usageError('--until', `--until takes a time, e.g. 2027-01-01, not ${until}`);
  }
  const input = conditionsOf(when);
  const rule = bookOf(settings, powers).add({
    verdict,
    ...namesOf(tool),
    ...(bundle === undefined ? {} : { bundle }),
    ...(input === undefined ? {} : { input }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
    ...(reason === undefined ? {} : { reason }),
    by: powers.environment['USER'] ?? 'unknown',
    at: new Date(powers.wallClock()).toISOString(),
  });
  await powers.stdout.write(
    settings.json === true
      ? jsonLine({ ok: true, rule })
      : `${rule.id}  ${visible(sentenceOf(rule))}\n`,
  );
  return EXIT.ok;
}

/** The tool's own id holds no colon, so that the last one is between the two. */
function namesOf(text: string): { readonly plugin: string; readonly tool: string } {
  if (text === '*') return { plugin: '*', tool: '*' };
  const at = text.lastIndexOf(':');
  if (at < 1 || at === text.length - 1) {
    throw usageError('tool', `a rule is for plugin:tool, plugin:* or *, not ${text}`);
  }
  return { plugin: text.slice(0, at), tool: text.slice(at + 1) };
}

async function removeRule(
  id: string,
  settings: RulesSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  if (!bookOf(settings, powers).remove(id)) {
    throw usageError('id', `there is no rule ${id}; \`bulkhead rules list\` shows them`);
  }
  await powers.stdout.write(
    settings.json === true ? jsonLine({ ok: true, id }) : `${id} is gone\n`,
  );
  return EXIT.ok;
}

function bookOf(settings: RulesSettings, powers: CliPowers): ReturnType<CliPowers['openRules']> {
  const file = rulesFileOf(settings, powers);
  if (file !== undefined) return powers.openRules(file);
  throw usageError(
    '--rules',
    'there is no home directory to keep rules in: name a file with --rules',
  );
}
