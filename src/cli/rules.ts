import type { Command } from 'commander';
import type { Json } from '../../sandbox/wire/messages.js';
import type { Engine } from '../agent/agent.js';
import { type Condition, type Rule, sentenceOf } from '../approval/rule.js';
import { formatUnmatched, unmatchedRules } from '../approval/unmatched.js';
import { visible } from '../visible.js';
import { collect, readJson } from './arguments.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import {
  type PluginSettings,
  RULES_PLACE,
  addPluginOptions,
  engineOptions,
  rulesFileOf,
} from './engine-options.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { usageError } from './failure.js';
import { LOCK_FILE, lockFileOf } from './lock/options.js';
import { formatTable, print } from './output.js';
import { argumentWithValues } from './completion/with-values.js';

interface RulesSettings {
  readonly rules?: string;
  /** Directories of the installed plugins. */
  readonly plugins?: readonly string[];
  readonly lock?: string;
  readonly json?: boolean;
}

interface AddSettings extends RulesSettings {
  readonly when?: readonly string[];
  readonly bundle?: string;
  readonly effect?: string;
  readonly tenant?: string;
  readonly until?: string;
  readonly reason?: string;
}

/** The commands for rules: list, add, test and remove. */
export function addRules(program: Command, run: RunCommand): void {
  const rules = program
    .command('rules')
    .description('manage the rules that allow or deny calls without asking');
  withInstalled(
    withFile(rules.command('list').description('list all rules, the most recent one last')),
  ).action((settings: RulesSettings) => run((capabilities) => listRules(settings, capabilities)));
  withInstalled(
    withFile(
      rules
        .command('add')
        .description('add a rule; an allow rule never covers a call of high risk')
        .addArgument(
          argumentWithValues('<verdict>', 'allow, ask or deny', ['allow', 'ask', 'deny']),
        )
        .argument(
          '<tool>',
          'plugin:tool, where * stands for any text: plugin:*, mail-*:delete-*, *',
        )
        .option(
          '--when <PATH=VALUE>',
          'condition on a field of the input: city=Oslo, or path^=/tmp/ for a prefix; repeatable (default: none)',
          collect,
        )
        .option(
          '--effect <METHOD HOST>',
          'the rule is for requests of running tools: "POST api.example.com"; "GET HOST" says that a GET changes nothing there',
        )
        .option('--bundle <HASH>', 'hash of the code that an allow rule is for, or * for any code')
        .option(
          '--tenant <NAME>',
          'tenant that the rule applies to, * for all (default: all; for an allow rule, calls without a tenant)',
        )
        .option(
          '--until <TIME>',
          'date on which the rule expires, e.g. 2027-01-01 (default: never)',
        )
        .option('--reason <TEXT>', 'reason, shown in the list of rules'),
    ),
  ).action((verdict: string, tool: string, settings: AddSettings) =>
    run((capabilities) => addRule(verdict, tool, settings, capabilities)),
  );
  withFile(
    rules
      .command('remove')
      .description('remove a rule; it no longer applies from the next call on')
      .argument('<id>', 'id of the rule, as `bulkhead rules list` shows it'),
  ).action((id: string, settings: RulesSettings) =>
    run((capabilities) => removeRule(id, settings, capabilities)),
  );
  addRulesTest(rules, run);
}

function withFile(command: Command): Command {
  return command
    .option('--rules <FILE>', `the file of rules (${RULES_PLACE})`)
    .option('--json', 'print one line of JSON');
}

/** The options that name the installed plugins, with which rules are compared. */
function withInstalled(command: Command): Command {
  return command
    .option('--plugins <DIR...>', 'warn about rules that match no tool of these plugins')
    .option(
      '--lock <FILE>',
      `warn about rules that match no tool of this lock file (default: ${LOCK_FILE}, if it exists)`,
    );
}

/** Warns about rules that match no installed tool, if plugins or a lock file are named or there. */
async function warnAboutRules(
  rules: readonly Rule[],
  { plugins = [], lock }: Pick<RulesSettings, 'plugins' | 'lock'>,
  capabilities: CliCapabilities,
): Promise<void> {
  const file = lock ?? LOCK_FILE;
  const isThere = await capabilities.readFile(file).then(
    () => true,
    () => false,
  );
  if (plugins.length === 0 && lock === undefined && !isThere) return;
  const locked = plugins.length === 0 ? { lock: file } : {};
  const options = await engineOptions(plugins, locked, capabilities);
  await using engine = await capabilities.createEngine(options);
  await printUnmatched(rules, engine, capabilities);
}

async function printUnmatched(
  rules: readonly Rule[],
  { catalog }: Pick<Engine, 'catalog'>,
  { stderr }: Pick<CliCapabilities, 'stderr'>,
): Promise<void> {
  for (const unmatched of unmatchedRules(rules, catalog.list())) {
    await stderr.write(
      `warning: this rule matches no installed tool: ${visible(formatUnmatched(unmatched))}\n`,
    );
  }
}

async function listRules(
  settings: RulesSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const rules = bookOf(settings, capabilities).list();
  await print(
    settings,
    capabilities,
    { ok: true, rules },
    formatTable([['ID', 'RULE', 'BY', 'REASON'], ...rules.map(row)]),
  );
  await warnAboutRules(rules, settings, capabilities);
  return EXIT.ok;
}

function row(rule: Rule): string[] {
  return [rule.id, sentenceOf(rule), rule.by ?? '', rule.reason ?? ''].map(visible);
}

async function addRule(
  verdict: string,
  tool: string,
  settings: AddSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  if (verdict !== 'allow' && verdict !== 'ask' && verdict !== 'deny') {
    throw usageError('verdict', `the verdict must be allow, ask or deny, not ${verdict}`);
  }
  const { bundle, tenant, until, reason, when = [] } = settings;
  if (verdict === 'allow' && bundle === undefined) {
    throw usageError(
      '--bundle',
      'an allow rule needs the code that it is for; use --bundle HASH (see `bulkhead inspect`), or --bundle "*" for any code',
    );
  }
  if (until !== undefined && Number.isNaN(Date.parse(until))) {
    throw usageError('--until', `--until takes a time, e.g. 2027-01-01, not ${until}`);
  }
  if (until !== undefined && Date.parse(until) <= capabilities.wallClock()) {
    throw usageError('--until', `--until ${until} is in the past, so the rule would never match`);
  }
  const input = conditionsOf(when);
  const sent = settings.effect === undefined ? undefined : effectOf(settings.effect);
  const rule = bookOf(settings, capabilities).add({
    verdict,
    ...namesOf(tool),
    ...(bundle === undefined ? {} : { bundle }),
    ...(input === undefined ? {} : { input }),
    ...(sent === undefined ? {} : { effect: sent }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
    ...(reason === undefined ? {} : { reason }),
    by: capabilities.operator,
    at: new Date(capabilities.wallClock()).toISOString(),
  });
  await print(
    settings,
    capabilities,
    { ok: true, rule },
    `${rule.id}  ${visible(sentenceOf(rule))}\n`,
  );
  await warnAboutRules([rule], settings, capabilities);
  return EXIT.ok;
}

function effectOf(text: string): { readonly host: string; readonly method: string } {
  const [, method = '', host = ''] = /^([A-Za-z]+) ([\w.-]+)$/.exec(text) ?? [];
  if (host !== '') return { host: host.toLowerCase(), method: method.toUpperCase() };
  throw usageError(
    '--effect',
    `--effect takes a method and a host, e.g. "GET api.example.com", not ${text}`,
  );
}

/** A tool id contains no colon, so the last colon separates plugin and tool. */
function namesOf(text: string): { readonly plugin: string; readonly tool: string } {
  if (text === '*') return { plugin: '*', tool: '*' };
  const at = text.lastIndexOf(':');
  if (at < 1 || at === text.length - 1) {
    const [, plugin, tool] = /^(.+?)__(.+)$/.exec(text) ?? [];
    const hint = plugin === undefined ? '' : `; did you mean ${plugin}:${tool ?? ''}?`;
    throw usageError('tool', `a rule takes plugin:tool, plugin:* or *, not ${text}${hint}`);
  }
  return { plugin: text.slice(0, at), tool: text.slice(at + 1) };
}

async function removeRule(
  id: string,
  settings: RulesSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  if (!bookOf(settings, capabilities).remove(id)) {
    throw usageError('id', `rule ${id} does not exist; \`bulkhead rules list\` shows all rules`);
  }
  await print(settings, capabilities, { ok: true, id }, `removed ${id}\n`);
  return EXIT.ok;
}

function bookOf(
  settings: RulesSettings,
  capabilities: CliCapabilities,
): ReturnType<CliCapabilities['openRules']> {
  const file = rulesFileOf(settings, capabilities);
  if (file !== undefined) return capabilities.openRules(file);
  throw usageError(
    '--rules',
    'without a home directory there is no default file of rules; name a file with --rules',
  );
}

/** Parses conditions: `city=Oslo`, `count=3`, `path^=/tmp/`; a repeated field may have any of its values. */
export function conditionsOf(
  texts: readonly string[],
): Readonly<Record<string, Condition>> | undefined {
  const conditions = new Map<string, Condition>();
  for (const text of texts) {
    const [, path = '', starts, value = ''] = /^([^=^]+)(\^?)=(.*)$/s.exec(text) ?? [];
    if (path === '') {
      throw usageError('--when', `--when takes PATH=VALUE or PATH^=START, not ${text}`);
    }
    conditions.set(
      path,
      starts === '^' ? { startsWith: value } : either(conditions.get(path), value),
    );
  }
  return conditions.size === 0 ? undefined : Object.fromEntries(conditions);
}

/** A field that is given twice may have either value. */
function either(before: Condition | undefined, text: string): Condition {
  const value = valueOf(text);
  if (before === undefined || 'startsWith' in before || 'under' in before) return { equals: value };
  return { oneOf: [...('oneOf' in before ? before.oneOf : [before.equals]), value] };
}

/** The text parsed as JSON, else the text itself. */
function valueOf(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}

interface TestSettings extends PluginSettings {
  readonly input?: string;
  readonly tenant?: string;
  readonly unattended?: boolean;
}

export function addRulesTest(rules: Command, run: RunCommand): void {
  const command = rules
    .command('test')
    .description('show whether a call would run, ask or be denied, and why; the tool does not run')
    .argument('<tool>', 'name of the tool, e.g. weather__weather')
    .argument('[plugin-dir...]', 'directories of plugins (default: the plugins of the lock file)')
    .option('--input <JSON>', 'the input: JSON, @file, or - for standard input (default: {})')
    .option('--tenant <NAME>', 'the tenant of the call (default: none)')
    .option('--unattended', 'evaluate the call as part of an unattended run');
  addPluginOptions(command)
    .option('--json', 'print one line of JSON')
    .action((tool: string, directories: string[], settings: TestSettings) =>
      run((capabilities) => testRules(tool, directories, settings, capabilities)),
    );
}

async function testRules(
  tool: string,
  directories: readonly string[],
  settings: TestSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const input = await readJson(settings.input ?? '{}', '--input', capabilities);
  const lock = directories.length === 0 ? { lock: lockFileOf(settings) } : {};
  const options = await engineOptions(directories, { ...settings, ...lock }, capabilities);
  await using engine = await capabilities.createEngine(options);
  const decision = engine.previewCall(tool, input, {
    ...(settings.tenant === undefined ? {} : { tenant: settings.tenant }),
    unattended: settings.unattended ?? false,
  });
  const { verdict, reason, rule } = decision;
  const { risk, riskWhy } = engine.catalog.find(tool) ?? {};
  await print(
    settings,
    capabilities,
    { ok: true, tool, risk, riskWhy, ...decision },
    [
      `${WORDS[verdict]}: ${visible(reason)}`,
      `  risk  ${risk ?? ''} (${visible(riskWhy ?? '')})`,
      ...(rule === undefined ? [] : [`  rule  ${rule.id}: ${visible(sentenceOf(rule))}`]),
      '',
    ].join('\n'),
  );
  await printUnmatched(engine.rules.list(), engine, capabilities);
  return EXIT.ok;
}

const WORDS = { run: 'runs', ask: 'requires approval', deny: 'denied' } as const;
