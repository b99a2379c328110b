import type { AuditRecord } from '../audit/record.js';
import type { PluginStatus } from '../engine/types/status.js';
import { coversAll } from '../permissions/grant.js';
import { diffPermissions } from '../permissions/permissions.js';
import { formats } from '../formats/table.js';
import { compare, readPrevious } from './changes.js';
import { describePlugin } from './describe-plugin.js';
import { type ExceptionRule, applyExceptions } from './exceptions.js';
import { sortFindings } from './finding-groups.js';
import type { Suggested } from './permission-rows.js';
import { locateInManifest } from './manifest-place.js';
import { readPins } from './pins.js';
import type { Finding, LogReport, PluginReport, Report } from './report.js';
import { rules } from './rules.js';
import { type Usage, readUsage } from './usage.js';

export interface ReportSources {
  /** The installed plugins. */
  readonly plugins: readonly PluginStatus[];
  readonly records: AsyncIterable<AuditRecord>;
  /** The log of the records, and whether its chain is intact; `null` without a log. */
  readonly log: {
    readonly file: string;
    readonly sound: boolean;
    readonly notes: readonly string[];
  } | null;
  /** The parsed lock file; absent if there is none. */
  readonly lock?: unknown;
  /** The previous report, parsed, to compare with. */
  readonly previous?: unknown;
  /** By plugin: the text of its manifest, in which findings are placed. Default: no lines. */
  readonly manifests?: ReadonlyMap<string, string>;
  /** By plugin: the permissions that its code needs. */
  readonly suggested?: ReadonlyMap<string, readonly Suggested[]>;
  readonly exceptions?: readonly ExceptionRule[];
  /** Start of the period. Default: the start of the log. */
  readonly sinceMs?: number;
  readonly nowMs: number;
  /** Age after which an unused permission is a finding. Default: 30 days. */
  readonly unusedAfterMs?: number;
}

const UNUSED_AFTER_MS = 30 * 86_400_000;

/** Creates the report of these sources. */
export async function makeReport(sources: ReportSources): Promise<Report> {
  const { plugins, nowMs, sinceMs = -Infinity, lock } = sources;
  const reading = await readUsage(sources.records, sinceMs);
  const pins = readPins(lock);
  const previous = readPrevious(sources.previous);
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
    const { changes, wider } = compare(plugin, previous);
    return { plugin: { ...plugin, changes }, wider: [...new Set([...wider, ...widened(usage)])] };
  });
  const findings = described.flatMap(({ plugin, wider }) =>
    findIn(plugin, wider, {
      nowMs,
      locked: lock !== undefined,
      unusedAfterMs: sources.unusedAfterMs ?? UNUSED_AFTER_MS,
      text: sources.manifests?.get(plugin.id),
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
    findings: sortFindings(applyExceptions(findings, sources.exceptions ?? [], nowMs)),
  };
}

function logOf({ log }: ReportSources, records: number): LogReport | null {
  return log === null ? null : { file: log.file, records, sound: log.sound, notes: log.notes };
}

function findIn(
  plugin: PluginReport,
  wider: readonly string[],
  {
    text,
    ...more
  }: {
    readonly nowMs: number;
    readonly locked: boolean;
    readonly unusedAfterMs: number;
    readonly text: string | undefined;
  },
): Finding[] {
  const manifest = manifestOf(plugin);
  return rules.flatMap(({ name, find }) =>
    find({ ...more, plugin, manifest, wider }).map((found) => ({
      ...found,
      place: placeIn(found, manifest, text),
      rule: name,
      plugin: plugin.id,
      exception: null,
      excepted: false,
    })),
  );
}

/** The finding's place, with the line of the manifest that it is about. */
function placeIn(
  { place, subject }: Pick<Finding, 'place' | 'subject'>,
  manifest: string,
  text: string | undefined,
): Finding['place'] {
  if (place === null || text === undefined) return place;
  if (place.file !== manifest || place.line !== undefined) return place;
  return { ...place, ...locateInManifest(text, subject) };
}

function manifestOf({ format }: PluginReport): string {
  return formats.find(({ name }) => name === format)?.manifestFile ?? 'package.json';
}

/** The permissions that a later bundle declares and an earlier one did not. */
function widened(usage: Usage | undefined): string[] {
  return (usage?.updates ?? []).flatMap(({ before, after }) => {
    try {
      if (coversAll(before.declared, after.declared)) return [];
      return diffPermissions(before.declared, after.declared).wider.map(({ kind, scope }) =>
        scope === 'true' ? kind : `${kind} ${scope}`,
      );
    } catch {
      // A log may contain text that is not a permission.
      return [];
    }
  });
}
