import type { Command } from 'commander';
import type { AuditFilter } from '../audit/query.js';
import { type AuditRecord, FIELDS } from '../audit/record.js';
import { type Anchor, type AuditVerdict, formatAnchor, parseAnchors } from '../audit/verify.js';
import { didYouMean } from '../did-you-mean.js';
import { formatRecord } from '../audit/why.js';
import { visible } from '../visible.js';
import { collect, parseMoment } from './arguments.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { usageError } from './failure.js';
import { type Paint, makePaint, print } from './output.js';
import { argumentWithValues, optionWithValues } from './completion/with-values.js';

export function addAudit(program: Command, run: RunCommand): void {
  program
    .command('audit')
    .description('show the records of an audit log, verify the log, or print an anchor of it')
    .addArgument(
      argumentWithValues('[action]', 'show, verify or anchor', [
        'show',
        'verify',
        'anchor',
      ]).default('show'),
    )
    .option('--file <FILE>', 'the audit log', DEFAULT_LOG)
    .option('--plugin <ID>', 'only records of this plugin')
    .option('--tool <NAME>', 'only calls of this tool; use the name that the plugin gives it')
    .addOption(
      optionWithValues('--type <TYPE...>', 'only records of these types, e.g. capability-denied', [
        ...FIELDS.keys(),
      ]),
    )
    .option('--call <ID>', 'only records of this call')
    .option(
      '--since <WHEN>',
      'only records from this time on: 90m, 24h or 7d ago, or a date (default: all)',
    )
    .option('--until <WHEN>', 'only records up to this time (default: all)')
    .option('--follow', 'keep printing new records until interrupted')
    .option('--anchor <TEXT>', 'verify: fail unless the log contains these anchors; text, or @file')
    .option(
      '--key <FILE>',
      'verify: fail unless records are signed with a public key of this file; repeatable',
      collect,
    )
    .option(
      '--accept-unattested',
      'verify with --key: accept and count records without a signature',
    )
    .option('--json', 'print the records or the verdict as lines of JSON')
    .action((action: string, settings: AuditSettings) =>
      run((capabilities) => runAudit(action, settings, capabilities)),
    );
}

export function runAudit(
  action: string,
  settings: AuditSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  if (action !== 'verify') {
    const only = [
      ...(settings.key === undefined ? [] : ['--key']),
      ...(settings.acceptUnattested === true ? ['--accept-unattested'] : []),
      ...(settings.anchor === undefined ? [] : ['--anchor']),
    ];
    const [option] = only;
    if (option !== undefined) throw usageError(option, `${option} needs \`audit verify\``);
  }
  switch (action) {
    case 'show':
      return show(settings, capabilities);
    case 'verify':
      return runVerify(settings, capabilities);
    case 'anchor':
      return runAnchor(settings, capabilities);
    default:
      throw usageError('audit', `audit takes show, verify or anchor, not ${action}`);
  }
}

async function show(settings: AuditSettings, capabilities: CliCapabilities): Promise<ExitCode> {
  const { stdout, interrupted, readAudit } = capabilities;
  const paint = makePaint(stdout.colour);
  const filter = filterOf(settings, capabilities.wallClock());
  const log = readAudit(settings.file);
  const records = settings.follow === true ? log.follow(filter, interrupted) : log.query(filter);
  for await (const record of records) {
    if (stdout.closed || interrupted.aborted) break;
    await print(settings, { stdout }, record, recordLine(record, paint));
  }
  return EXIT.ok;
}

function filterOf(settings: AuditSettings, nowMs: number): AuditFilter {
  const { plugin, tool, call, type, since, until } = settings;
  const unknown = type?.find((one) => !FIELDS.has(one));
  // guard: audit-type-known
  if (unknown !== undefined) {
    const meant = didYouMean(unknown, [...FIELDS.keys()]);
    throw usageError(
      '--type',
      `${visible(unknown)} is not a type of record${meant === undefined ? '.' : `; did you mean ${meant}?`} The types are ${[...FIELDS.keys()].join(', ')}`,
    );
  }
  return {
    ...(plugin === undefined ? {} : { plugin }),
    ...(tool === undefined ? {} : { tool }),
    ...(call === undefined ? {} : { call }),
    ...(type === undefined ? {} : { types: type }),
    ...(since === undefined ? {} : { sinceMs: parseMoment(since, '--since', nowMs) }),
    ...(until === undefined ? {} : { untilMs: parseMoment(until, '--until', nowMs) }),
  };
}

/** `2026-11-20 14:31:08.123  weather  DENIED network: GET https://…  call_…` */
export function recordLine(record: AuditRecord, paint: Paint): string {
  const about = 'plugin' in record && record.plugin !== undefined ? record.plugin : '-';
  const text = visible(formatRecord(record));
  const call =
    'call' in record && record.call !== undefined ? `  ${paint('dim', visible(record.call))}` : '';
  return `${paint('dim', timeOf(record.atMs))}  ${visible(about)}  ${isBad(record) ? paint('red', text) : text}${call}\n`;
}

export function timeOf(atMs: number): string {
  return new Date(atMs).toISOString().replace('T', ' ').replace('Z', '');
}

function isBad({ type }: AuditRecord): boolean {
  return type === 'capability-denied' || type === 'approval-refused' || type === 'plugin-refused';
}

export interface AuditSettings {
  readonly file: string;
  readonly plugin?: string;
  readonly tool?: string;
  readonly type?: readonly string[];
  readonly call?: string;
  readonly since?: string;
  readonly until?: string;
  readonly follow?: boolean;
  readonly anchor?: string;
  /** Files of public keys. */
  readonly key?: readonly string[];
  readonly acceptUnattested?: boolean;
  readonly json?: boolean;
}

/** The default audit log. */
export const DEFAULT_LOG = '.bulkhead/audit.jsonl';

/** Verifies the whole log, and prints where it first breaks. */
export async function runVerify(
  settings: AuditSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { stdout } = capabilities;
  const anchors = await anchorsOf(settings.anchor, capabilities);
  const { key, acceptUnattested = false } = settings;
  if (acceptUnattested && key === undefined) {
    throw usageError('--accept-unattested', '--accept-unattested needs --key');
  }
  const keys = key?.flatMap((file) => capabilities.readPublicKeys(file));
  const verdict = await capabilities
    .readAudit(settings.file)
    .verify({ anchors, acceptUnattested, ...(keys === undefined ? {} : { keys }) });
  const text = formatVerdict(verdict, makePaint(stdout.colour));
  await print(settings, { stdout }, verdict, text);
  return verdict.ok ? EXIT.ok : EXIT.findings;
}

/** Prints an anchor: one line that later proves that no earlier record is missing. */
export async function runAnchor(
  settings: AuditSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const { stdout, stderr } = capabilities;
  const verdict = await capabilities.readAudit(settings.file).verify();
  if (!verdict.ok) {
    await stderr.write(formatVerdict(verdict, makePaint(stderr.colour)));
    return EXIT.findings;
  }
  const anchor = formatAnchor(verdict.head);
  await print(settings, { stdout }, { ...verdict.head, anchor }, `${anchor}\n`);
  return EXIT.ok;
}

async function anchorsOf(
  text: string | undefined,
  capabilities: CliCapabilities,
): Promise<readonly Anchor[]> {
  if (text === undefined) return [];
  if (!text.startsWith('@')) return parseAnchors(text);
  const path = text.slice(1);
  const content = await capabilities.readFile(path).catch(() => {
    throw usageError('--anchor', `--anchor cannot read ${path}`);
  });
  return parseAnchors(content);
}

function formatVerdict(verdict: AuditVerdict, paint: ReturnType<typeof makePaint>): string {
  if (!verdict.ok) {
    const { kind, file, line, message, records } = verdict;
    return [
      `${paint('red', 'BROKEN')}  ${visible(file)}:${line}  ${kind}`,
      `  ${visible(message)}`,
      `  the ${records} records before it are intact\n`,
    ].join('\n');
  }
  const { records, head, notes, anchored, attested } = verdict;
  const proven = [
    ...(anchored === 0 ? [] : [`, ${anchored} anchored`]),
    ...(attested === undefined ? [] : [`, ${attested} signed`]),
  ].join('');
  return [
    `${paint('green', 'intact')}  ${records} records${proven}, the last is ${head.seq} ${head.hash.slice(0, 16)}`,
    ...notes.map((note) => `  ${visible(note)}`),
    ...(anchored > 0
      ? []
      : [
          '  only an anchor detects records cut off at the end, or a rewritten log:',
          '  store the output of `bulkhead audit anchor` where this machine cannot write',
        ]),
    '',
  ].join('\n');
}
