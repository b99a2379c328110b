import type { Command } from 'commander';
import { join } from 'node:path';
import {
  isRuleName,
  makeReport,
  parseExceptions,
  type Report,
  type ReportFormat,
  reportFormats,
  reportRules,
  type ReportSources,
  textParts,
} from '../index.js';
import { parseMoment } from './audit/moment.js';
import { USUAL_LOG } from './audit/settings.js';
import type { RunCommand } from './call.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { usageError } from './failure.js';
import { makePaint } from './paint.js';
import type { CliPowers } from './powers.js';
import { findInstalled, readCode, readOptional, readWanted } from './report-sources.js';
import { formatTable } from './table.js';
import { jsonLine } from './visible.js';

export interface ReportSettings {
  readonly file?: string;
  readonly lock: string;
  readonly since?: string;
  readonly unusedAfter: string;
  readonly format?: string;
  readonly output?: string;
  readonly former?: string;
  readonly exceptions?: string;
  readonly failOn?: readonly string[];
  readonly json?: boolean;
}

export function addPermissionReport(program: Command, run: RunCommand): void {
  program
    .command('report')
    .description('what plugins may do, what they did, and what is wrong with that')
    .argument('[plugin-dir...]', 'directories of plugins (default: those that the log names)')
    .option('--file <FILE>', `the audit log (default: "${USUAL_LOG}")`)
    .option('--lock <FILE>', 'the lock file', 'bulkhead.lock.json')
    .option('--since <WHEN>', 'only what is not older: 24h, 7d, or a date')
    .option('--unused-after <TIME>', 'a permission without use for so long is not needed', '30d')
    .option('--format <LIST>', 'table, html, json, md, sarif; several with commas (default: table)')
    .option('-o, --output <DIR>', 'write report.<format> there (default: standard output)')
    .option('--former <FILE>', 'a report.json, to tell what has changed (default: the one in DIR)')
    .option('--exceptions <FILE>', 'findings that somebody answers for, until when')
    .option('--fail-on <RULE...>', 'exit with 2 where that rule finds something; any: all rules')
    .option('--json', 'the same as --format json, on one line')
    .action((directories: string[], settings: ReportSettings) =>
      run((powers) => runReport(directories, settings, powers)),
    );
}

export async function runReport(
  directories: readonly string[],
  settings: ReportSettings,
  powers: CliPowers,
): Promise<ExitCode> {
  const formats = formatsOf(settings);
  const failOn = failingRules(settings.failOn ?? []);
  if (settings.output === undefined && formats.length > 1) {
    throw usageError('--format', '--format takes one format, unless -o says where to write them');
  }
  const report = await makeReport(await sourcesOf(directories, settings, powers));
  await write(report, formats, settings, powers);
  const failing = report.findings.filter(({ rule, excepted }) => !excepted && failOn.has(rule));
  return failing.length === 0 ? EXIT.ok : EXIT.findings;
}

async function sourcesOf(
  directories: readonly string[],
  settings: ReportSettings,
  powers: CliPowers,
): Promise<ReportSources> {
  const { file = USUAL_LOG, lock, since, exceptions, output } = settings;
  const nowMs = powers.wallClock();
  const log = await readLog(file, powers);
  // Without a log most rules find nothing: a name that is wrong is not to pass for that.
  const wanted = directories.length === 0 || settings.failOn !== undefined;
  if (log === undefined && settings.file !== undefined && wanted) {
    throw usageError('--file', `--file names ${file}, and there is no audit log`);
  }
  const plugins = await findInstalled(directories, log?.records ?? [], powers);
  const suggested = await readCode(plugins, powers);
  const locked = await readOptional(lock, powers);
  const formerPath =
    settings.former ?? (output === undefined ? undefined : join(output, reportFormats.json.file));
  const former =
    settings.former === undefined
      ? formerPath === undefined
        ? undefined
        : await readOptional(formerPath, powers)
      : await readWanted(settings.former, '--former', powers);
  return {
    plugins,
    records: each(log?.records ?? []),
    log: log === undefined ? null : { file, sound: log.sound, notes: log.notes },
    nowMs,
    suggested,
    unusedAfterMs: nowMs - parseMoment(settings.unusedAfter, '--unused-after', nowMs),
    ...(locked === undefined ? {} : { lock: locked }),
    ...(former === undefined ? {} : { former }),
    ...(since === undefined ? {} : { sinceMs: parseMoment(since, '--since', nowMs) }),
    ...(exceptions === undefined
      ? {}
      : { exceptions: parseExceptions(await readWanted(exceptions, '--exceptions', powers)) }),
  };
}

type Records = ReportSources['records'] extends AsyncIterable<infer One> ? readonly One[] : never;

async function readLog(
  file: string,
  { readAudit }: CliPowers,
): Promise<{ records: Records; sound: boolean; notes: readonly string[] } | undefined> {
  const reader = readAudit(file);
  try {
    const verdict = await reader.verify();
    const records: Records[number][] = [];
    for await (const record of reader.query()) records.push(record);
    return {
      records,
      sound: verdict.ok,
      notes: verdict.ok ? verdict.notes : [`${verdict.message} (line ${verdict.line})`],
    };
  } catch (error) {
    // Without a log the report says that there is none; one that cannot be read is another matter.
    if (error instanceof Error && error.message.includes('does not exist')) return undefined;
    throw error;
  }
}

async function* each(records: Records): AsyncGenerator<Records[number]> {
  yield* records;
}

async function write(
  report: Report,
  formats: readonly (ReportFormat | 'table')[],
  settings: ReportSettings,
  { stdout, stderr, writeFile }: CliPowers,
): Promise<void> {
  for (const format of formats) {
    const text =
      format === 'table' ? tableOf(report, stdout.colour) : reportFormats[format].render(report);
    if (format === 'table') await stdout.write(text);
    else if (settings.output === undefined) {
      await stdout.write(settings.json === true ? jsonLine(report) : text);
    } else {
      const path = join(settings.output, reportFormats[format].file);
      await writeFile(path, text);
      await stderr.write(`wrote ${path}\n`);
    }
  }
}

function tableOf(report: Report, colour: boolean): string {
  const paint = makePaint(colour);
  return textParts(report)
    .map(
      ({ title, rows }) => `${paint('bold', title)}\n${rows.length === 0 ? '' : formatTable(rows)}`,
    )
    .join('\n');
}

function formatsOf({ format, json }: ReportSettings): readonly (ReportFormat | 'table')[] {
  if (json === true) return ['json'];
  return (format ?? 'table').split(',').map((text) => {
    const name = text.trim();
    if (name === 'table' || isFormat(name)) return name;
    throw usageError(
      '--format',
      `--format takes table, ${Object.keys(reportFormats).join(', ')}, not ${name}`,
    );
  });
}

function isFormat(name: string): name is ReportFormat {
  return Object.hasOwn(reportFormats, name);
}

function failingRules(names: readonly string[]): ReadonlySet<string> {
  const all = names.flatMap((name) => name.split(','));
  const unknown = all.find((name) => name !== 'any' && !isRuleName(name));
  if (unknown !== undefined) {
    const known = reportRules.map(({ name }) => name).join(', ');
    throw usageError('--fail-on', `--fail-on takes ${known} or any, not ${unknown}`);
  }
  return new Set(all.includes('any') ? reportRules.map(({ name }) => name) : all);
}
