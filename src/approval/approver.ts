import type { Json } from '../../sandbox/wire/messages.js';
import type { ApprovalChannel, ApproverKind } from '../approval-events.js';
import type { RiskBand } from '../plugin/risk.js';
import type { Condition } from './rule.js';

/** A question as it is stored and displayed. All members are copies made by the host. */
export interface StoredQuestion {
  /** Unique id of this question: `apr_` and a random UUID. */
  readonly approvalId: string;
  /** `call`: a tool is about to run. `effect`: a running tool is about to send an undeclared write. */
  readonly kind: 'call' | 'effect';
  readonly callId: string;
  readonly plugin: string;
  readonly version?: string;
  /** Hash of the artifact that would run. */
  readonly bundle: string;
  /** The tool's id within its plugin. */
  readonly tool: string;
  /** `plugin:tool`. */
  readonly id: string;
  /** Written by the plugin's author: display it as untrusted text. */
  readonly title: string;
  /** The exact input of the call. */
  readonly input: Json;
  /**
   * The input for display: indented JSON, in which characters that are invisible or reorder text are
   * escaped, and right-to-left text is isolated. Never truncated.
   */
  readonly shown: string;
  readonly risk: RiskBand;
  readonly riskWhy: string;
  /** Why the call needs approval. */
  readonly why: string;
  /** With kind `effect`: the request that waits for approval. */
  readonly effect?: HeldRequest;
  /**
   * sha256 over artifact, tool, canonical input, tenant, effective grant, configuration, risk and
   * effect. It says what was asked. It does not approve anything.
   */
  readonly digest: string;
  /** The host's customer for whom the call runs, if the host named one. */
  readonly tenant?: string;
  /** Who asks, as the host named them. */
  readonly asker?: string;
  /** The caller's own id of the call, for `find`. */
  readonly reference?: string;
  readonly conversationId?: string;
  /** The accepted verdicts; any other verdict denies. High risk can only be approved `once`. */
  readonly offers: readonly Verdict[];
  readonly askedAtMs: number;
  /** Until then the question can be answered, and its approval can be spent. */
  readonly expiresAtMs: number;
}

/** The question of a call that waits for the answer. */
export interface ApprovalRequest extends StoredQuestion {
  /** Until then the call waits. The question can be answered for longer: see `expiresAtMs`. */
  readonly waitsUntilMs: number;
  /** Aborts when the call is cancelled or no longer waits. */
  readonly signal: AbortSignal;
}

/** An outbound request that waits for approval. Does not contain values of secrets. */
export interface HeldRequest {
  readonly method: string;
  readonly url: string;
  /** Names and values, with invisible characters escaped. */
  readonly headers: readonly (readonly [string, string])[];
  /** The start of the body, with invisible characters escaped; absent without a body. */
  readonly body?: string;
  /** Size of the body in bytes; absent if unknown. */
  readonly bodyBytes?: number;
}

/**
 * `once`: this call. `session`: this tool of this bundle in this conversation, or until the engine
 * closes if there is no conversation. `always`: this tool of this bundle, as a rule that can be removed.
 */
export type Verdict = 'deny' | 'once' | 'session' | 'always';

export interface Answer {
  readonly verdict: Verdict;
  /** With `deny`: the reason that the caller receives. */
  readonly reason?: string;
  /** The name of the person or program that answered, for the audit log. Default: none. */
  readonly by?: string;
  /**
   * What answered. Only `person` counts as a person in the audit log and in reports. Default:
   * `program`.
   */
  readonly approver?: Exclude<ApproverKind, 'rule'>;
  /** The way by which the answer arrived. Default: `host`. */
  readonly channel?: ApprovalChannel;
  /** With `session` and `always`: conditions on the input. If this call does not meet them, the verdict is `once`. */
  readonly input?: Readonly<Record<string, Condition>>;
  /** With `session` and `always`: inputs with text in the shape of a credential need approval again. */
  readonly withoutSecrets?: boolean;
  /** With `always`: the time at which the rule ends, in ISO 8601. Default: it does not end. */
  readonly until?: string;
}

/** Answers a request. An exception denies. */
export type Approver = (request: ApprovalRequest) => Promise<Verdict | Answer> | Verdict | Answer;
