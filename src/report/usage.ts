import type { AuditRecord } from '../audit/record.js';
import type { PermissionName, Permissions } from '../permissions/kind.js';
import type { ActivityReport } from './report.js';

type RecordOf<Type extends AuditRecord['type']> = Extract<AuditRecord, { readonly type: Type }>;

/** What the log says of one plugin, gathered in one reading. */
export interface Usage {
  directory: string | undefined;
  /** The last grant of each entry, and when it was first seen as it is. */
  readonly grants: Map<string, { readonly last: RecordOf<'permissions-granted'>; sinceMs: number }>;
  /** Grants of an entry that came with another bundle than the one before. */
  readonly updates: {
    readonly before: RecordOf<'permissions-granted'>;
    readonly after: RecordOf<'permissions-granted'>;
  }[];
  readonly uses: Use[];
  readonly denied: Denied[];
  readonly calls: RecordOf<'call-ended'>[];
  readonly secrets: RecordOf<'secret-inserted' | 'secret-withheld' | 'secret-scrubbed'>[];
  readonly asked: RecordOf<'approval-asked'>[];
  readonly answers: RecordOf<'approval-given' | 'approval-refused'>[];
  readonly ends: RecordOf<'guest-ended'>[];
  readonly unannounced: RecordOf<'effect-undeclared'>[];
}

export interface Denied extends RecordOf<'capability-denied'> {
  /** What its entries were granted at that moment. Empty: the log does not say. */
  readonly heldThen: readonly Permissions[];
}

export interface Use {
  readonly atMs: number;
  readonly kind: PermissionName;
  readonly wanted: string;
  readonly tool: string | undefined;
  readonly outcome: string | undefined;
}

export interface Reading {
  readonly usage: ReadonlyMap<string, Usage>;
  readonly records: number;
  /** When the log begins. */
  readonly fromMs: number | undefined;
}

/**
 * Reads a log. Grants count from its beginning, since they are what holds now; everything else from
 * `sinceMs` on.
 */
export async function readUsage(
  records: AsyncIterable<AuditRecord>,
  sinceMs: number,
): Promise<Reading> {
  const usage = new Map<string, Usage>();
  const toolOf = new Map<string, string>();
  const dryRuns = new Set<string>();
  let count = 0;
  let fromMs: number | undefined;
  for await (const record of records) {
    count += 1;
    fromMs ??= record.atMs;
    if (!('plugin' in record) || record.plugin === undefined) continue;
    // What a dry run asked for is no use and no denial.
    if (isOfDryRun(record, dryRuns)) continue;
    const one = usage.get(record.plugin) ?? fresh();
    usage.set(record.plugin, one);
    note(record, one, toolOf, record.atMs >= sinceMs);
  }
  return { usage, records: count, fromMs };
}

/** Whether the record is of a call that was a dry run. */
function isOfDryRun(record: AuditRecord, dryRuns: Set<string>): boolean {
  if (record.type === 'call-started' && record.mode === 'dry-run') dryRuns.add(record.call);
  return 'call' in record && record.call !== undefined && dryRuns.has(record.call);
}

function note(
  record: AuditRecord,
  usage: Usage,
  toolOf: Map<string, string>,
  inPeriod: boolean,
): void {
  if (record.type === 'plugin-found') usage.directory = record.directory;
  if (record.type === 'permissions-granted') noteGrant(record, usage, inPeriod);
  if (!inPeriod) return;
  switch (record.type) {
    case 'call-started':
      toolOf.set(record.call, record.tool);
      break;
    case 'call-ended':
      usage.calls.push(record);
      break;
    case 'capability-used': {
      const tool = record.call === undefined ? undefined : toolOf.get(record.call);
      const { atMs, permission, wanted, outcome } = record;
      if (permission === 'builtin') break;
      usage.uses.push({ atMs, kind: permission, wanted, tool, outcome });
      break;
    }
    case 'capability-denied':
      usage.denied.push({
        ...record,
        heldThen: [...usage.grants.values()].map(({ last }) => last.granted),
      });
      break;
    case 'secret-inserted':
    case 'secret-withheld':
    case 'secret-scrubbed':
      usage.secrets.push(record);
      break;
    case 'approval-asked':
      usage.asked.push(record);
      break;
    case 'approval-given':
    case 'approval-refused':
      usage.answers.push(record);
      break;
    case 'guest-ended':
      if (!ORDINARY.has(record.cause)) usage.ends.push(record);
      break;
    case 'effect-undeclared':
      usage.unannounced.push(record);
      break;
    default:
  }
}

const ORDINARY: ReadonlySet<string> = new Set(['closed', 'idle', 'replaced', 'revoked']);

function noteGrant(grant: RecordOf<'permissions-granted'>, usage: Usage, inPeriod: boolean): void {
  const known = usage.grants.get(grant.entry);
  const same =
    known !== undefined && JSON.stringify(known.last.granted) === JSON.stringify(grant.granted);
  if (known !== undefined && inPeriod && known.last.bundle !== grant.bundle) {
    usage.updates.push({ before: known.last, after: grant });
  }
  usage.grants.set(grant.entry, {
    last: grant,
    sinceMs: same ? known.sinceMs : grant.atMs,
  });
}

function fresh(): Usage {
  return {
    directory: undefined,
    grants: new Map(),
    updates: [],
    uses: [],
    denied: [],
    calls: [],
    secrets: [],
    asked: [],
    answers: [],
    ends: [],
    unannounced: [],
  };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** As few bars as a person takes in. */
const MAX_BUCKETS = 48;

const SIZES: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  DAY_MS,
  7 * DAY_MS,
  30 * DAY_MS,
];

/** Use over time, in steps that give the whole period a readable number of bars. */
export function measureActivity(
  usage: Usage | undefined,
  fromMs: number,
  toMs: number,
): ActivityReport {
  const span = Math.max(0, toMs - fromMs);
  const bucketMs = SIZES.find((size) => span / size < MAX_BUCKETS) ?? Math.ceil(span / MAX_BUCKETS);
  const first = Math.floor(fromMs / bucketMs);
  const count = Math.floor(toMs / bucketMs) - first + 1;
  const tally = (times: readonly { readonly atMs: number }[]): number[] => {
    const counts = Array.from({ length: count }, () => 0);
    for (const { atMs } of times) {
      const at = Math.floor(atMs / bucketMs) - first;
      if (at >= 0 && at < count) counts[at] = (counts[at] ?? 0) + 1;
    }
    return counts;
  };
  const calls = tally(usage?.calls ?? []);
  const failed = tally((usage?.calls ?? []).filter(({ outcome }) => outcome === 'error'));
  const uses = tally(usage?.uses ?? []);
  const denied = tally(usage?.denied ?? []);
  return {
    bucketMs,
    buckets: calls.map((_, index) => ({
      from: new Date((first + index) * bucketMs).toISOString(),
      calls: calls[index] ?? 0,
      failed: failed[index] ?? 0,
      uses: uses[index] ?? 0,
      denied: denied[index] ?? 0,
    })),
  };
}
