import type { Command } from 'commander';
import { type AuditFilter, type AuditRecord, tellRecord } from '../../index.js';
import type { RunCommand } from '../call.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageError } from '../failure.js';
import { makePaint, type Paint } from '../paint.js';
import type { CliPowers } from '../powers.js';
import { jsonLine, visible } from '../visible.js';
import { type AuditSettings, USUAL_LOG } from './settings.js';
import { parseMoment } from './moment.js';
import { runAnchor, runVerify } from './verify.js';

export function addAudit(program: Command, run: RunCommand): void {
  program
    .command('audit')
    .description('show what an audit log holds, check it, or take an anchor of it')
    .argument('[action]', 'show, verify or anchor', 'show')
    .option('--file <FILE>', 'the log', USUAL_LOG)
    .option('--plugin <ID>', 'only what concerns that plugin')
    .option('--tool <NAME>', 'only calls of that tool, as its plugin names it')
    .option('--type <TYPE...>', 'only records of these types, e.g. capability-denied')
    .option('--call <ID>', 'only what concerns that call')
    .option('--since <WHEN>', 'only what is not older: 90m, 24h, 7d, or a date')
    .option('--until <WHEN>', 'only what is not newer')
    .option('--follow', 'go on with what is written from now on')
    .option('--anchor <TEXT>', 'verify: the log has to hold these anchors; text, or @file')
    .option('--json', 'print records, or the verdict, as lines of JSON')
    .action((action: string, settings: AuditSettings) =>
      run((powers) => runAudit(action, settings, powers)),
    );
}

export function runAudit(
  action: string,
  settings: AuditSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  switch (action) {
    case 'show':
      return show(settings, powers);
    case 'verify':
      return runVerify(settings, powers);
    case 'anchor':
      return runAnchor(settings, powers);
    default:
      throw usageError('audit', `audit takes show, verify or anchor, not ${action}`);
  }
}

async function show(settings: AuditSettings, powers: CliPowers): Promise<ExitCode> {
  const { stdout, interrupted, readAudit } = powers;
  const paint = makePaint(stdout.colour);
  const filter = filterOf(settings, powers.wallClock());
  const log = readAudit(settings.file);
  const records = settings.follow === true ? log.follow(filter, interrupted) : log.query(filter);
  for await (const record of records) {
    if (stdout.closed || interrupted.aborted) break;
    await stdout.write(settings.json === true ? jsonLine(record) : recordLine(record, paint));
  }
  return EXIT.ok;
}

function filterOf(settings: AuditSettings, nowMs: number): AuditFilter {
  const { plugin, tool, call, type, since, until } = settings;
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
  const text = visible(tellRecord(record));
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
