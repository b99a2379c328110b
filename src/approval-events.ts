import type { ErrorCode } from './errors.js';
import type { RiskBand } from './plugin/risk.js';

/**
 * What answered a question: a person; the command-line flag `--yes`; a rule; or the host's own
 * `approve` function, if it does not say that a person answered.
 */
export type ApproverKind = 'person' | 'flag' | 'rule' | 'program';

/** The way by which an answer arrived. `host`: the host's own `approve` function. */
export type ApprovalChannel = 'terminal' | 'command-line' | 'http' | 'mcp' | 'rules' | 'host';

/** Who or what answered a question, and how. */
export interface Answerer {
  readonly approver: ApproverKind;
  readonly channel: ApprovalChannel;
  /** The name of the person, the rule's author or the program, as the channel reports it. */
  readonly by?: string;
}

/** Events about an approval question. */
export type ApprovalEvent =
  | ({
      /** The approver is asked. */
      readonly type: 'approval-asked';
      /** Id of the question. */
      readonly approval: string;
      /** Who asks, as the host named them. */
      readonly asker?: string;
      /** Time at which an unanswered question is refused, in milliseconds since the epoch. */
      readonly expiresAtMs: number;
    } & AboutQuestion)
  | ({
      /** A stored question was answered. A call that waits for it, or a later call, ends it. */
      readonly type: 'approval-answered';
      readonly approval: string;
      readonly verdict: 'deny' | 'once' | 'session' | 'always';
      /** The reason of a denial. */
      readonly reason?: string;
      readonly waitedMs: number;
    } & Answerer &
      AboutQuestion)
  | ({
      /** A call or request was approved by the approver, a rule or an earlier answer. */
      readonly type: 'approval-given';
      /** Scope of the approval: this call, this session (also an earlier answer), or a rule. */
      readonly verdict: 'once' | 'session' | 'always';
      /** Id of the answered question. Absent if the approver was not asked. */
      readonly approval?: string;
      /** Id of the rule that allowed it, or that this answer created. */
      readonly rule?: string;
      /** Time from the question to the answer, in milliseconds. */
      readonly waitedMs: number;
    } & Answerer &
      AboutQuestion)
  | ({
      /** A person or a rule refused, the time ran out, or there is no approver: see `code`. `approver` is absent if there was no answer. */
      readonly type: 'approval-refused';
      readonly approval: string;
      readonly code: ErrorCode;
      readonly reason: string;
      readonly waitedMs: number;
      /** Id of the rule that denied it. */
      readonly rule?: string;
    } & Partial<Answerer> &
      AboutQuestion);

/** The subject of a question: a call before it runs, or a request that a running call sends. */
export interface AboutQuestion {
  readonly kind: 'call' | 'effect';
  readonly call: string;
  readonly plugin: string;
  readonly tool: string;
  readonly bundle: string;
  /** SHA-256 of artifact, tool, canonical input, tenant, grant, configuration, risk and effect. The answer applies only to it. */
  readonly digest: string;
  readonly risk: RiskBand;
  readonly why: string;
  readonly tenant?: string;
  /** Method, origin and path of the request that waits for approval. */
  readonly effect?: string;
}
