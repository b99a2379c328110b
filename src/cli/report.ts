import type { Command } from 'commander';
import { extname, join } from 'node:path';
import type { AuditRecord } from '../audit/record.js';
import type { PluginStatus } from '../engine/types/status.js';
import { formats } from '../formats/table.js';
import { parseExceptions } from '../report/exceptions.js';
import { type ReportFormat, reportFormats, textParts } from '../report/formats.js';
import { type ReportSources, makeReport } from '../report/make-report.js';
import type { Report } from '../report/report.js';
import { isRuleName, rules as reportRules } from '../report/rules.js';
import type { SuggestedItem } from '../suggest/suggestion.js';
import { parseMoment, readJsonFile } from './arguments.js';
import { DEFAULT_LOG } from './audit.js';
import type { RunCommand } from './call.js';
import type { CliCapabilities } from './capabilities.js';
import { silentLogger } from './engine-options.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { reasonOf, usageError } from './failure.js';
import { formatTable, makePaint, print } from './output.js';
import { optionWithValues } from './completion/with-values.js';

export interface ReportSettings {
  readonly file?: string;
  readonly lock: string;
  readonly since?: string;
  readonly unusedAfter: string;
  readonly format?: string;
  readonly output?: string;
  readonly previous?: string;
  readonly exceptions?: string;
  readonly failOn?: readonly string[];
  readonly json?: boolean;
}

export function addPermissionReport(program: Command, run: RunCommand): void {
  program
    .command('report')
    .description('report the permissions of plugins, their use, and findings')
    .argument('[plugin-dir...]', 'directories of plugins (default: those in the audit log)')
    .option('--file <FILE>', `the audit log (default: "${DEFAULT_LOG}")`)
    .option('--lock <FILE>', 'the lock file', 'bulkhead.lock.json')
    .option(
      '--since <WHEN>',
      'only records from this time on: 24h or 7d ago, or a date (default: all)',
    )
    .option(
      '--unused-after <TIME>',
      'report a permission as unused after this time, e.g. 30d',
      '30d',
    )
    .addOption(
      optionWithValues(
        '--format <LIST>',
        'table, html, json, md or sarif; several separated by commas (default: table)',
        ['table', ...Object.keys(reportFormats)],
      ),
    )
    .option(
      '-o, --output <PATH>',
      'write report.<format> into this directory, or one format into this file, e.g. report.html (default: standard output)',
    )
    .option('--previous <FILE>', 'an earlier report.json to compare with (default: the one in DIR)')
    .option(
      '--exceptions <FILE>',
      'file of accepted findings, each with an owner and an end date (default: none)',
    )
    .addOption(
      optionWithValues(
        '--fail-on <RULE...>',
        'exit with 2 if one of these rules has a finding; any: all rules (default: none)',
        [...reportRules.map(({ name }) => name), 'any'],
      ),
    )
    .option('--json', 'print the report as one line of JSON')
    .action((directories: string[], settings: ReportSettings) =>
      run((capabilities) => runReport(directories, settings, capabilities)),
    );
}

export async function runReport(
  directories: readonly string[],
  settings: ReportSettings,
  capabilities: CliCapabilities,
): Promise<ExitCode> {
  const wanted = formatsOf(settings);
  const failOn = failingRules(settings.failOn ?? []);
  const target = targetOf(settings);
  if (wanted.length > 1 && (target === undefined || target.kind === 'file')) {
    throw usageError('--format', 'several formats need a directory: name one with -o');
  }
  if (target?.kind === 'directory' && wanted.every((format) => format === 'table')) {
    const names = Object.keys(reportFormats).join(', ');
    throw usageError(
      '--output',
      `the table is not written into ${target.path}; name a file like report.html or report.txt, or a directory with --format ${names}`,
    );
  }
  const report = await makeReport(await sourcesOf(directories, settings, capabilities));
  await write(report, wanted, target, settings, capabilities);
  const failing = report.findings.filter(({ rule, excepted }) => !excepted && failOn.has(rule));
  return failing.length === 0 ? EXIT.ok : EXIT.findings;
}

async function sourcesOf(
  directories: readonly string[],
  settings: ReportSettings,
  capabilities: CliCapabilities,
): Promise<ReportSources> {
  const { file = DEFAULT_LOG, lock, since, exceptions } = settings;
  const target = targetOf(settings);
  const nowMs = capabilities.wallClock();
  const log = await readLog(file, capabilities);
  // Without a log most rules find nothing, so a wrong name must not look like a clean report.
  const wanted = directories.length === 0 || settings.failOn !== undefined;
  if (log === undefined && settings.file !== undefined && wanted) {
    throw usageError('--file', `--file ${file} does not exist; name an audit log`);
  }
  const plugins = await findInstalled(directories, log?.records ?? [], capabilities);
  const suggested = await readCode(plugins, capabilities);
  const locked = await readOptional(lock, capabilities);
  const previousPath =
    settings.previous ??
    (target?.kind === 'directory' ? join(target.path, reportFormats.json.file) : undefined);
  const previous =
    settings.previous === undefined
      ? previousPath === undefined
        ? undefined
        : await readOptional(previousPath, capabilities)
      : await readJsonFile(settings.previous, '--previous', capabilities);
  return {
    plugins,
    records: each(log?.records ?? []),
    log: log === undefined ? null : { file, sound: log.sound, notes: log.notes },
    nowMs,
    suggested,
    manifests: await readManifests(plugins, capabilities),
    unusedAfterMs: nowMs - parseMoment(settings.unusedAfter, '--unused-after', nowMs),
    ...(locked === undefined ? {} : { lock: locked }),
    ...(previous === undefined ? {} : { previous }),
    ...(since === undefined ? {} : { sinceMs: parseMoment(since, '--since', nowMs) }),
    ...(exceptions === undefined
      ? {}
      : {
          exceptions: parseExceptions(await readJsonFile(exceptions, '--exceptions', capabilities)),
        }),
  };
}

type Records = ReportSources['records'] extends AsyncIterable<infer One> ? readonly One[] : never;

async function readLog(
  file: string,
  { readAudit }: CliCapabilities,
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
    // A missing log is stated in the report; a log that cannot be read is an error.
    if (error instanceof Error && error.message.includes('does not exist')) return undefined;
    throw error;
  }
}

async function* each(records: Records): AsyncGenerator<Records[number]> {
  yield* records;
}

async function write(
  report: Report,
  wanted: readonly (ReportFormat | 'table')[],
  target: Target | undefined,
  settings: ReportSettings,
  { stdout, stderr, writeFile, realPath, version }: CliCapabilities,
): Promise<void> {
  const base = await realPath('.');
  for (const format of wanted) {
    const text =
      format === 'table'
        ? tableOf(report, stdout.colour && target === undefined)
        : reportFormats[format].render(report, { version, base });
    if (format === 'table' && target?.kind !== 'file') await stdout.write(text);
    else if (target === undefined) {
      await print(settings, { stdout }, report, text);
    } else {
      const path =
        target.kind === 'file' || format === 'table'
          ? target.path
          : join(target.path, reportFormats[format].file);
      await writeFile(path, text).catch((error: unknown) => {
        throw usageError('--output', `--output cannot write ${path}: ${reasonOf(error)}`);
      });
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

/** Where the report is written: into a directory, or as one file. */
interface Target {
  readonly kind: 'directory' | 'file';
  readonly path: string;
}

/** A path that ends with the extension of a format is a file. */
function targetOf({ output }: ReportSettings): Target | undefined {
  if (output === undefined) return undefined;
  const isFile = isFormat(extname(output).slice(1)) || extname(output) === '.txt';
  return { kind: isFile ? 'file' : 'directory', path: output };
}

function formatsOf({ format, json, output }: ReportSettings): readonly (ReportFormat | 'table')[] {
  if (json === true) return ['json'];
  const extension = extname(output ?? '').slice(1);
  return (format ?? (isFormat(extension) ? extension : 'table')).split(',').map((text) => {
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

/**
 * The installed plugins: in the named directories, else in those of the audit log. They are inspected
 * with their declared permissions; the log and the lock file have the granted ones.
 */
export async function findInstalled(
  named: readonly string[],
  records: readonly AuditRecord[],
  capabilities: Pick<CliCapabilities, 'createEngine' | 'environment' | 'listDirectory'>,
): Promise<readonly PluginStatus[]> {
  const directories = named.length > 0 ? named : await directoriesInLog(records, capabilities);
  if (directories.length === 0) return [];
  await using engine = await capabilities.createEngine({
    plugins: directories,
    grant: 'declared',
    env: capabilities.environment,
    limits: { pool: 0 },
    logger: silentLogger,
  });
  return engine.plugins();
}

async function directoriesInLog(
  records: readonly AuditRecord[],
  { listDirectory }: Pick<CliCapabilities, 'listDirectory'>,
): Promise<string[]> {
  const seen = new Map<string, string>();
  for (const record of records) {
    if (record.type === 'plugin-found') seen.set(record.plugin, record.directory);
  }
  const there = await Promise.all(
    [...new Set(seen.values())].map(async (directory) =>
      (await listDirectory(directory).catch(() => undefined)) === undefined ? [] : [directory],
    ),
  );
  return there.flat();
}

/** The permissions that each plugin's code needs; empty if the code cannot be read. */
export async function readCode(
  plugins: readonly PluginStatus[],
  { suggestPermissions }: Pick<CliCapabilities, 'suggestPermissions'>,
): Promise<ReadonlyMap<string, readonly SuggestedItem[]>> {
  const read = plugins.map(async ({ id, directory }) => {
    const suggestion = await suggestPermissions(directory).catch(() => undefined);
    return [id, suggestion?.items ?? []] as const;
  });
  return new Map(await Promise.all(read));
}

/** The text of each plugin's manifest, if it can be read. */
async function readManifests(
  plugins: readonly PluginStatus[],
  { readFile }: Pick<CliCapabilities, 'readFile'>,
): Promise<ReadonlyMap<string, string>> {
  const read = plugins.map(async ({ id, directory, format }) => {
    const name = formats.find((one) => one.name === format)?.manifestFile;
    const text = name === undefined ? undefined : readFile(join(directory, name));
    return [id, await text?.catch(() => undefined)] as const;
  });
  const texts = await Promise.all(read);
  return new Map(texts.flatMap(([id, text]) => (text === undefined ? [] : [[id, text]])));
}

/** Reads a JSON file; `undefined` if it does not exist or is not JSON. */
export async function readOptional(
  path: string,
  { readFile }: Pick<CliCapabilities, 'readFile'>,
): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path));
  } catch {
    return undefined;
  }
}
