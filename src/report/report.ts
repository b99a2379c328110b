import type { PermissionName } from '../permissions/kind.js';
import type { RiskBand } from '../plugin/risk.js';

/**
 * The permission audit: the permissions of plugins, their use, and findings. Plain data, described by
 * `docs/report.schema.json`. Every output format is rendered from it alone.
 */
export interface Report {
  readonly format: 'bulkhead-report';
  readonly version: 1;
  /** ISO 8601, like every time in the report. */
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
  /** The place of the first break, or remarks about the log. */
  readonly notes: readonly string[];
}

export interface PluginReport {
  readonly id: string;
  readonly name: string;
  readonly format: string | null;
  readonly version: string | null;
  readonly directory: string | null;
  readonly state: string;
  /** For a server of tools: `remote` (elsewhere), `host` (an unconfined command) or `sandbox-runtime`. */
  readonly confinement: 'compartment' | 'host' | 'remote' | 'sandbox-runtime';
  /** Hashes of its bundles, by entry. */
  readonly bundles: Readonly<Record<string, string>>;
  readonly pin: PinReport | null;
  /** Its npm packages, if the lock file separates them. Those with permissions come first. */
  readonly packages: readonly PackageReport[];
  readonly permissions: readonly PermissionReport[];
  readonly denied: readonly DeniedReport[];
  /** Permissions that its code needs and its manifest does not declare. */
  readonly undeclared: readonly UndeclaredReport[];
  readonly secrets: readonly SecretReport[];
  readonly tools: readonly ToolReport[];
  readonly approvals: ApprovalReport;
  readonly limits: readonly Counted[];
  /** Its guests that were killed or crashed, by cause. */
  readonly ends: readonly Counted[];
  readonly activity: ActivityReport;
  /** Changes since the previous report, as sentences. */
  readonly changes: readonly string[];
}

/** An npm package that runs in a compartment of its own. */
export interface PackageReport {
  /** Its directory in the plugin. */
  readonly path: string;
  readonly version: string | null;
  /** Its permissions, as `network api.example.com`; empty: nothing. */
  readonly granted: readonly string[];
  /** It runs as part of the plugin's own code, with all that the plugin may do. */
  readonly together: boolean;
  /** Its denied attempts, as far as the log names the package. */
  readonly denied: number;
}

/** A permission that the code needs, found without running it. */
export interface UndeclaredReport {
  readonly kind: PermissionName;
  readonly scope: string;
  /** `src/index.ts:14:9` */
  readonly at: string | null;
}

/** The plugin's entry in the lock file. */
export interface PinReport {
  /** The hash of the accepted artifact. `null`: the lock file does not name it. */
  readonly artifact: string | null;
  readonly bundles: Readonly<Record<string, string>>;
  readonly by: string | null;
  readonly at: string | null;
  /** Whether the installed code is the pinned code. */
  readonly current: boolean;
}

/** One scope of one kind. */
export interface PermissionReport {
  readonly kind: PermissionName;
  readonly scope: string;
  readonly sentence: string;
  readonly declared: boolean;
  readonly granted: boolean;
  /** Whether the host observes uses. The clock, randomness and variables are used in the guest. */
  readonly observed: boolean;
  readonly uses: number;
  readonly lastUsed: string | null;
  readonly grantedSince: string | null;
}

export interface DeniedReport {
  /** `builtin`: a module or function that no permission allows. */
  readonly kind: PermissionName | 'builtin';
  readonly wanted: string;
  /** The line of the plugin's source. */
  readonly at: string | null;
  readonly count: number;
  readonly last: string;
  /** Whether the plugin was granted since what these attempts lacked. */
  readonly grantedSince: boolean;
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
  /** Permissions that its calls used, if the host knows the call. */
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
  /** The time in milliseconds that people took to answer; `null` if no person answered. */
  readonly medianWaitMs: number | null;
  readonly longestWaitMs: number | null;
  /** The most questions within one hour. */
  readonly busiestHour: number;
  /**
   * The tool for which rules would have saved a person most answers: at most all but the first of those that
   * the person allowed. No rule allows high risk.
   */
  readonly saver: { readonly tool: string; readonly questions: number } | null;
  /** The latest answers, newest first. */
  readonly recent: readonly {
    readonly at: string;
    readonly tool: string;
    readonly verdict: string;
    /** Who or what answered, and over which channel: `ann (person, terminal)`, `the flag --yes`. */
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
  /** The subject, stable between reports: exceptions name it. */
  readonly subject: string;
  readonly message: string;
  /** The edit that resolves it. */
  readonly fix: string;
  /** Relative to the plugin's directory. */
  readonly place: {
    readonly file: string;
    readonly line?: number;
    readonly column?: number;
  } | null;
  /** The accepted exception. After its date the finding counts again. */
  readonly exception: FindingException | null;
  readonly excepted: boolean;
}

export interface FindingException {
  readonly reason: string;
  readonly owner: string;
  /** The last day of the exception: `2026-12-31`. */
  readonly until: string;
}

/** Facts for a renderer in addition to the report. */
export interface RenderContext {
  /** The version of Bulkhead, for SARIF. Default: none is written. */
  readonly version?: string;
  /** The directory to which SARIF's paths are relative. Default: the plugin's own directory. */
  readonly base?: string;
}
