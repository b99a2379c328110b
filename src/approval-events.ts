import type { ErrorCode } from './errors.js';
import type { RiskBand } from './plugin/risk.js';

/** What can happen to a question. */
export type ApprovalEvent =
  | ({
      /** Somebody is asked. */
      readonly type: 'approval-asked';
      /** Names the question. */
      readonly approval: string;
      readonly expiresAtMs: number;
    } & AboutQuestion)
  | ({
      readonly type: 'approval-given';
      /** How far the yes reaches: `always` is a rule, `session` was said or had been said earlier. */
      readonly verdict: 'once' | 'session' | 'always';
      /** The question that somebody answered; absent where nobody had to be asked. */
      readonly approval?: string;
      /** The rule that allowed it, or that was made by this answer. */
      readonly rule?: string;
      /** Who answered, as the approver tells. */
      readonly by?: string;
      readonly waitedMs: number;
    } & AboutQuestion)
  | ({
      /** By a person, a rule, silence, or because there was nobody: see `code`. */
      readonly type: 'approval-refused';
      readonly approval: string;
      readonly code: ErrorCode;
      readonly reason: string;
      readonly waitedMs: number;
    } & AboutQuestion);

/** What was asked about: a call before it ran, or a request that a running one was about to send. */
export interface AboutQuestion {
  readonly kind: 'call' | 'effect';
  readonly call: string;
  readonly plugin: string;
  readonly tool: string;
  readonly bundle: string;
  /** Binds the answer: sha256 over bundle, tool, canonical input, tenant and effect. */
  readonly digest: string;
  readonly risk: RiskBand;
  readonly why: string;
  readonly tenant?: string;
  /** Method, origin and path of the request that was held. */
  readonly effect?: string;
}
