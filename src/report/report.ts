import type { PermissionName } from '../permissions/kind.js';
import type { RiskBand } from '../plugin/risk.js';

/**
 * The permission audit: what plugins may do, what they did, and what is wrong with that. Plain data,
 * described by `docs/report.schema.json`; every output format is made of it alone.
 */
export interface Report {
  readonly format: 'bulkhead-report';
  readonly version: 1;
  /** ISO 8601, like every time in it. */
  readonly madeAt: string;
  readonly period: { readonly from: string | null; readonly to: string };
  readonly log: LogReport | null;
  readonly plugins: readonly PluginReport[];
  readonly findings: readonly Finding[];
}

export interface LogReport {
  readonly file: string;
  readonly records: number;
  readonly sound: boolean;
  /** Where it first breaks, or what is worth knowing of it. */
  readonly notes: readonly string[];
}

export interface PluginReport {
  readonly id: string;
  readonly name: string;
  readonly format: string | null;
  readonly version: string | null;
  readonly directory: string | null;
  readonly state: string;
  readonly confinement: 'compartment' | 'host';
  /** Hashes of its bundles, by entry. */
  readonly bundles: Readonly<Record<string, string>>;
  readonly pin: PinReport | null;
  readonly permissions: readonly PermissionReport[];
  readonly denied: readonly DeniedReport[];
  /** What its code names and its manifest does not declare. */
  readonly undeclared: readonly UndeclaredReport[];
  readonly secrets: readonly SecretReport[];
  readonly tools: readonly ToolReport[];
  readonly approvals: ApprovalReport;
  readonly limits: readonly Counted[];
  /** Guests of its that were killed or crashed, by cause. */
  readonly ends: readonly Counted[];
  readonly activity: ActivityReport;
  /** Since the report before, as sentences. */
  readonly changes: readonly string[];
}

/** What its code shows that it would use, by reading it alone. */
export interface UndeclaredReport {
  readonly kind: PermissionName;
  readonly scope: string;
  /** `src/index.ts:14:9` */
  readonly at: string | null;
}

/** What the lock file says of it. */
export interface PinReport {
  readonly bundles: Readonly<Record<string, string>>;
  readonly by: string | null;
  readonly at: string | null;
  /** Whether what is installed is what was pinned. */
  readonly current: boolean;
}

/** One scope of one kind. */
export interface PermissionReport {
  readonly kind: PermissionName;
  readonly scope: string;
  readonly sentence: string;
  readonly declared: boolean;
  readonly granted: boolean;
  /** Whether the host sees uses of it: clocks, dice and variables are used inside the guest. */
  readonly observed: boolean;
  readonly uses: number;
  readonly lastUsed: string | null;
  readonly grantedSince: string | null;
}

export interface DeniedReport {
  readonly kind: PermissionName;
  readonly wanted: string;
  /** The plugin's own line. */
  readonly at: string | null;
  readonly count: number;
  readonly last: string;
}

export interface SecretReport {
  readonly name: string;
  readonly host: string;
  readonly sent: number;
  readonly withheld: number;
  readonly scrubbed: number;
}

export interface ToolReport {
  readonly tool: string;
  readonly declaredRisk: RiskBand | null;
  readonly risk: RiskBand | null;
  readonly why: string | null;
  readonly calls: number;
  readonly failed: number;
  readonly last: string | null;
  readonly medianMs: number | null;
  readonly slowestMs: number | null;
  /** What its calls used, where the host knows which call it was. */
  readonly uses: readonly {
    readonly kind: PermissionName;
    readonly scope: string;
    readonly count: number;
  }[];
}

export interface ApprovalReport {
  readonly asked: number;
  readonly given: number;
  readonly refused: number;
  /** How long answers took, in milliseconds; `null` without any. */
  readonly medianWaitMs: number | null;
  readonly longestWaitMs: number | null;
  /** The last of them, newest first. */
  readonly recent: readonly {
    readonly at: string;
    readonly tool: string;
    readonly verdict: string;
    readonly by: string | null;
    readonly waitedMs: number;
  }[];
}

export interface Counted {
  readonly what: string;
  readonly count: number;
  readonly last: string;
}

export interface ActivityReport {
  readonly bucketMs: number;
  readonly buckets: readonly ActivityBucket[];
}

export interface ActivityBucket {
  readonly from: string;
  readonly calls: number;
  readonly failed: number;
  readonly uses: number;
  readonly denied: number;
}

export type RuleName =
  | 'BH-PERM-UNUSED'
  | 'BH-PERM-WIDE'
  | 'BH-EXFIL-PAIR'
  | 'BH-RISK-UNDERSTATED'
  | 'BH-DENIED-ATTEMPT'
  | 'BH-UPDATE-WIDENS'
  | 'BH-HOST-MODE'
  | 'BH-UNPINNED';

export interface Finding {
  readonly rule: RuleName;
  readonly level: 'error' | 'warning' | 'note';
  readonly plugin: string;
  /** What it is about, stable from report to report: exceptions name it. */
  readonly subject: string;
  readonly message: string;
  /** The edit that would settle it. */
  readonly fix: string;
  /** Relative to the plugin's directory. */
  readonly place: {
    readonly file: string;
    readonly line?: number;
    readonly column?: number;
  } | null;
  /** Somebody answers for it until then; once that has passed it counts again, and says so. */
  readonly exception: FindingException | null;
  readonly excepted: boolean;
}

export interface FindingException {
  readonly reason: string;
  readonly owner: string;
  /** A date, `2026-12-31`, to the end of it. */
  readonly until: string;
}
