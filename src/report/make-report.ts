import type { AuditRecord } from '../audit/record.js';
import type { PluginStatus } from '../engine/plugins/status.js';
import type { FormatName } from '../plugin/plugin.js';
import { compare, readFormer } from './changes.js';
import { describePlugin } from './describe-plugin.js';
import { applyExceptions, type ExceptionRule } from './exceptions.js';
import { readPins } from './pins.js';
import type { Finding, LogReport, PluginReport, Report } from './report.js';
import { rules } from './rules/table.js';
import type { Suggested } from './undeclared.js';
import { readUsage, type Usage } from './usage.js';
import { coversAll } from '../permissions/effective.js';
import { diffPermissions } from '../permissions/diff.js';

export interface ReportSources {
  /** The plugins that are installed. */
  readonly plugins: readonly PluginStatus[];
  readonly records: AsyncIterable<AuditRecord>;
  /** Where the records come from, and whether they are to be believed; `null` where there is no log. */
  readonly log: {
    readonly file: string;
    readonly sound: boolean;
    readonly notes: readonly string[];
  } | null;
  /** The lock file, parsed; absent where there is none. */
  readonly lock?: unknown;
  /** The report before, parsed, to tell what has changed since. */
  readonly former?: unknown;
  /** By plugin: what its code was read to need. */
  readonly suggested?: ReadonlyMap<string, readonly Suggested[]>;
  readonly exceptions?: readonly ExceptionRule[];
  /** What is older is left out. Default: all there is. */
  readonly sinceMs?: number;
  readonly nowMs: number;
  /** Default: 30 days. */
  readonly unusedAfterMs?: number;
}

const UNUSED_AFTER_MS = 30 * 86_400_000;

/** Reads everything there is, and makes the report of it. */
export async function makeReport(sources: ReportSources): Promise<Report> {
  const { plugins, nowMs, sinceMs = -Infinity, lock } = sources;
  const reading = await readUsage(sources.records, sinceMs);
  const pins = readPins(lock);
  const former = readFormer(sources.former);
  const fromMs = Math.min(nowMs, Math.max(sinceMs, reading.fromMs ?? nowMs));
  const ids = [
    ...new Set([...plugins.map(({ id }) => id), ...reading.usage.keys(), ...pins.keys()]),
  ];
  const described = ids.toSorted().map((id) => {
    const status = plugins.find((one) => one.id === id);
    const usage = reading.usage.get(id);
    const plugin = describePlugin({
      id,
      status,
      usage,
      pin: pins.get(id),
      suggested: sources.suggested?.get(id) ?? [],
      fromMs,
      toMs: nowMs,
    });
    const { changes, wider } = compare(plugin, former);
    return { plugin: { ...plugin, changes }, wider: [...new Set([...wider, ...widened(usage)])] };
  });
  const findings = described.flatMap(({ plugin, wider }) =>
    findIn(plugin, wider, {
      nowMs,
      locked: lock !== undefined,
      unusedAfterMs: sources.unusedAfterMs ?? UNUSED_AFTER_MS,
    }),
  );
  return {
    format: 'bulkhead-report',
    version: 1,
    madeAt: new Date(nowMs).toISOString(),
    period: {
      from: reading.fromMs === undefined ? null : new Date(fromMs).toISOString(),
      to: new Date(nowMs).toISOString(),
    },
    log: logOf(sources, reading.records),
    plugins: described.map(({ plugin }) => plugin),
    findings: applyExceptions(findings, sources.exceptions ?? [], nowMs),
  };
}

function logOf({ log }: ReportSources, records: number): LogReport | null {
  return log === null ? null : { file: log.file, records, sound: log.sound, notes: log.notes };
}

function findIn(
  plugin: PluginReport,
  wider: readonly string[],
  more: { readonly nowMs: number; readonly locked: boolean; readonly unusedAfterMs: number },
): Finding[] {
  const manifest = manifestOf(plugin);
  return rules.flatMap(({ name, find }) =>
    find({ ...more, plugin, manifest, wider }).map((found) => ({
      ...found,
      rule: name,
      plugin: plugin.id,
      exception: null,
      excepted: false,
    })),
  );
}

const MANIFESTS: Readonly<Record<FormatName, string>> = {
  pandora: 'pandora.manifest.json',
  vellum: 'package.json',
  spindle: 'spindle.json',
};

function manifestOf({ format }: PluginReport): string {
  const names: Readonly<Record<string, string>> = MANIFESTS;
  return names[format ?? ''] ?? 'package.json';
}

/** What later bundles declare, and the one before did not. */
function widened(usage: Usage | undefined): string[] {
  return (usage?.updates ?? []).flatMap(({ before, after }) => {
    try {
      if (coversAll(before.declared, after.declared)) return [];
      return diffPermissions(before.declared, after.declared).wider.map(({ kind, scope }) =>
        scope === 'true' ? kind : `${kind} ${scope}`,
      );
    } catch {
      // A log is a file: what it says was declared may be no permission.
      return [];
    }
  });
}
